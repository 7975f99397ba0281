#!/bin/sh
# Looks at the site in headless Chromium, at 1,300 and at 400 pixels, without a network:
#
#   tools/site-shots.sh [SITE [PICTURES]]
#
# First, every page is measured: nothing is wider than the window, code of 80 columns fits the wide window, no picture
# is missing, the search finds the expected pages, and letters stand out from their background on both faces. Then
# screenshots of a few pages, light and dark, go to PICTURES (site-shots/), for people to view. Without Chromium, the
# script prints a message and succeeds.
set -eu
cd "$(dirname "$0")/.."

site=$(cd "${1:-docs}" && pwd)
pictures=${2:-site-shots}
sh tools/setup.sh shots || { echo "No Chromium: the site was not looked at"; exit 0; }
mkdir -p "$pictures"
pictures=$(cd "$pictures" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# browse OPTION...: Chromium reads files and asks no server.
browse() {
  timeout 300 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
    --user-data-dir="$folder/profile" --host-resolver-rules="MAP * ~NOTFOUND" "$@" 2>"$folder/log"
}

Rscript tools/site-measure.R "$site" "$folder/measure.html"
browse --virtual-time-budget=600000 --dump-dom "file://$folder/measure.html" >"$folder/measured.html"
sed -n '/<pre id="found">/,/<\/pre>/p' "$folder/measured.html" | sed 's/<[^>]*>//g' >"$folder/found"
cat "$folder/found"

# shot NAME PAGE WIDTH HEIGHT [OPTION]
shot() {
  file=$pictures/$1-$3.png shown=$2 width=$3 height=$4
  shift 4
  browse --window-size="$width,$height" --screenshot="$file" "$@" "file://$site/$shown" >/dev/null
}
for page in index reference/index articles/index articles/dptda articles/diagrams articles/tables \
  articles/replicate-kang reference/private_sum reference/private_diagram news/index; do
  name=$(echo "$page" | tr / -)
  for width in 1300 400; do
    shot "$name" "$page.html" $width 2400
    shot "dark-$name" "$page.html" $width 2400 --blink-settings=preferredColorScheme=0
  done
done
echo "Pictures: $pictures"
grep -q '^0 faults' "$folder/found"
