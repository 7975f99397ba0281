"""A second program for the samplers, written from privacy-noise.md, privacy-choice.md, and privacy-rounded-normal.md of
inst/proofs, in fractions, without looking at the kernels. It must draw the same integers from the same random words,
and use as many of them.

    python3 vectors.py LIBRARY FILE

FILE receives test vectors for tests/testthat: a sampler, its scale or rate, scores, the seed of 256 random bytes, and
the integer. checks/laws.sh runs this file.
"""
import ctypes
import random
import sys
from fractions import Fraction

KINDS = ("laplace", "discrete_gaussian", "gaussian", "choice")
library = ctypes.CDLL(sys.argv[1])
library.feed.restype = ctypes.c_long


class TooShort(Exception):
    pass


class Source:
    """Random words. Draws of a few bits share a word, from its lowest bit on. Limbs share another one."""

    def __init__(self, words):
        self.words, self.used = words, 0
        self.pool, self.pooled = 0, 0
        self.limbs = []

    def word(self):
        if self.used == len(self.words):
            raise TooShort
        self.used += 1
        return self.words[self.used - 1]

    def bits(self, count):
        if self.pooled < count:
            self.pool, self.pooled = self.word(), 64
        drawn = self.pool % 2 ** count
        self.pool >>= count
        self.pooled -= count
        return drawn

    def below(self, bound):
        if bound == 1:
            return 0
        while True:
            drawn = self.bits((bound - 1).bit_length())
            if drawn < bound:
                return drawn

    def limb(self):
        if not self.limbs:
            word = self.word()
            self.limbs = [word >> 16 * i & 65535 for i in range(4)]
        return self.limbs.pop(0)


# ---- privacy-noise.md ----------------------------------------------------------------------------------------------


def coin(source, p):
    """Statement 2: the first digit of p that differs from a coin is the answer."""
    if p == 1:
        return True
    while p > 0:
        digit = 2 * p >= 1
        p = 2 * p % 1
        if bool(source.bits(1)) != digit:
            return digit
    return False


def coin_exp(source, x):
    """Statement 3."""
    for _ in range(x.numerator // x.denominator):
        if not coin_exp_unit(source):
            return False
    x, n = x % 1, 1
    while coin(source, Fraction(1, n)) and coin(source, x):
        n += 1
    return n % 2 == 1


def coin_exp_unit(source):
    n = 1
    while coin(source, Fraction(1, n)):
        n += 1
    return n % 2 == 1


def laplace(source, scale):
    """Statement 4."""
    t, q = scale.numerator, scale.denominator
    while True:
        u = source.below(t)
        while not coin_exp(source, Fraction(u, t)):
            u = source.below(t)
        v = 0
        while coin_exp_unit(source):
            v += 1
        size, negative = (u + t * v) // q, source.bits(1)
        if size or not negative:
            return -size if negative else size


def discrete_gaussian(source, sigma):
    """Statement 5: T is the next power of two above sigma."""
    envelope = Fraction(1)
    while envelope <= sigma:
        envelope *= 2
    while envelope / 2 > sigma:
        envelope /= 2
    while True:
        y = laplace(source, envelope)
        if coin_exp(source, (abs(y) - sigma ** 2 / envelope) ** 2 / (2 * sigma ** 2)):
            return y


def choice(source, rate, scores):
    """privacy-choice.md, claim 1."""
    while True:
        i = source.below(len(scores))
        if coin_exp(source, rate * (max(scores) - scores[i])):
            return i


# ---- privacy-rounded-normal.md -------------------------------------------------------------------------------------


def ceiling(a, b):
    return -(-a // b)


def cell_ranges():
    """Lemma 2: f_c, and the number l_c of points that are sure, for cells below 128; the last f is of all others."""
    unit, sum_ = 2 ** 96, 0
    term = unit
    for i in range(12):
        sum_ += term if i % 2 == 0 else -term
        term //= 128 * (i + 1)
    step = ((sum_ - 12) >> 32, ceiling(sum_ + 12, 2 ** 32))
    square = (step[0] ** 2 >> 64, ceiling(step[1] ** 2, 2 ** 64))
    length, ratio = (3 * 2 ** 59, 3 * 2 ** 59), step
    first, sure = [0], []
    for _ in range(128):
        sure.append(first[-1] + length[0])
        first.append(first[-1] + length[1])
        length = (length[0] * ratio[0] >> 64, ceiling(length[1] * ratio[1], 2 ** 64))
        ratio = (ratio[0] * square[0] >> 64, ceiling(ratio[1] * square[1], 2 ** 64))
    return first, sure


FIRST, SURE = cell_ranges()


def cell_of(point):
    """The cell whose range has the point, 128 for the point of all others, or 129 for none."""
    if point > FIRST[128]:
        return 129
    low, high = 0, 128
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if FIRST[middle] <= point else (low, middle - 1)
    return low


def doubtful(source, rest, cell, shift):
    """Lemma 3: whether rest + U < 3 2^(59 + shift) exp(-cell^2/128), by the series of exp() and words of U."""
    x, n, digits = Fraction(cell * cell, 128), 0, 0
    term = total = Fraction(1)
    a = rest
    while True:
        more = 24
        while more > 0 or n < 2 * x:
            n, more = n + 1, more - 1
            term = term * x / n
            total += term
        bound = 3 * Fraction(2) ** (59 + shift + digits)
        if a * total >= bound:
            return False
        if (a + 1) * (total + term) <= bound:
            return True
        a = a * 2 ** 64 + source.word()
        digits += 64


def cell(source):
    while True:
        low = source.bits(16) << 48
        c = cell_of(low)
        if c < 128 and low + 2 ** 48 - 1 < SURE[c]:
            return c
        point = low + source.bits(48)
        c = cell_of(point)
        if c < 128 and point < SURE[c]:
            return c
        if c == 129:
            continue
        shift = 0
        if c == 128:
            while source.bits(1):
                shift += 1
            c, shift = c + shift, shift + 1
        if doubtful(source, point - FIRST[c] if shift == 0 else 0, c, shift):
            return c


class Uniform:
    """A uniform number, whose limbs are drawn when they are read."""

    def __init__(self, source):
        self.source, self.limbs = source, []

    def limb(self, i):
        while len(self.limbs) <= i:
            self.limbs.append(self.source.limb())
        return self.limbs[i]

    def is_below(self, other):
        i = 0
        while self.limb(i) == other.limb(i):
            i += 1
        return self.limb(i) < other.limb(i)


def keeps(source, c, y, m):
    """Lemma 4: a descent from y."""
    last, even = y, True
    while True:
        f, z = source.below(128 * m), Uniform(source)
        if f > 2 * c or not z.is_below(last):
            return even
        if f == 2 * c and not Uniform(source).is_below(y):
            return even
        last, even = z, not even


def rounded_normal(source, scale):
    while True:
        c = cell(source)
        y, m = Uniform(source), c // 64 + 1
        if all(keeps(source, c, y, m) for _ in range(m)):
            break
    negative = source.bits(1)
    places = 16 if scale <= 2 ** 15 else 32 if scale <= 2 ** 31 else 48
    while True:
        y.limb(places // 16 - 1)
        fraction = Fraction(sum(limb << (places - 16 * (i + 1)) for i, limb in enumerate(y.limbs[:places // 16])),
                            2 ** places)
        low = scale * (c + fraction) / 8 + Fraction(1, 2)
        high = low + scale / 8 / 2 ** places
        if low.numerator // low.denominator == ceiling(high.numerator, high.denominator) - 1:
            size = low.numerator // low.denominator
            return -size if negative else size
        places += 16


# ---- comparison ----------------------------------------------------------------------------------------------------


def second(kind, scale, scores, words, count):
    """The integers of the second program, and the number of words that it used."""
    source, exact = Source(words), Fraction(scale)
    draw = {"laplace": lambda: laplace(source, exact), "discrete_gaussian": lambda: discrete_gaussian(source, exact),
            "gaussian": lambda: rounded_normal(source, exact),
            "choice": lambda: choice(source, exact, [int(s) for s in scores])}[kind]
    return [draw() for _ in range(count)], source.used


def kernel(kind, scale, scores, words, count):
    drawn = (ctypes.c_int64 * count)()
    used = library.feed(KINDS.index(kind), ctypes.c_double(scale), (ctypes.c_double * (len(scores) + 1))(*scores),
                        len(scores), (ctypes.c_uint64 * len(words))(*words), ctypes.c_long(len(words)), drawn,
                        ctypes.c_long(count))
    return list(drawn), used


SCALES = [2.0 ** -30, 7 / 8, 1.0, 2.5, 3.0, 16.0, 16777215.0, 16777215 / 2 ** 20, 16777213 * 2.0 ** 16, 2.0 ** 40]
SCORES = [((0, 1, 3), .5), ((2, 2, 2, 1), 1.0), ((-5, 0), .1), ((2.0 ** 53, 2.0 ** 53 - 7, -2.0 ** 53), .3),
          ((1, 0, 1, 0, 1), 0.0), ((4, 9), 2.0 ** -73), ((7, 7), 2.0 ** 40)]
SETTINGS = [(kind, scale, ()) for kind in KINDS[:3] for scale in SCALES]
SETTINGS += [("gaussian", scale, ()) for scale in (7 / 3, 1e5 + .3, 3.0 ** 20)]
SETTINGS += [("choice", rate, scores) for scores, rate in SCORES]


def compare(count):
    """Draws many integers by both programs, and returns how many were equal."""
    random.seed(20261127)
    equal = total = 0
    for kind, scale, scores in SETTINGS:
        words = [random.getrandbits(64) for _ in range(60 * count + 100)]
        ours, used = second(kind, scale, scores, words, count)
        theirs, used_there = kernel(kind, scale, scores, words, count)
        same = sum(a == b for a, b in zip(ours, theirs))
        if used != used_there or same < count:
            print(f"{kind}, scale {scale}, {scores}: {same} of {count} equal, words {used} and {used_there}")
            same = min(same, count - 1)
        equal, total = equal + same, total + count
    return equal, total


def bytes_of(seed):
    """256 bytes by a generator that R has, too: x -> 16807 x mod 2^31 - 1. Every third seed has few ones, and every
    third few zeros."""
    state, drawn = seed, []
    for _ in range(256):
        byte = []
        for _ in range(2):
            state = 16807 * state % (2 ** 31 - 1)
            byte.append(state // 2 ** 12 % 256)
        drawn.append((byte[0], byte[0] & byte[1], byte[0] | byte[1])[seed % 3])
    return bytes(drawn)


def words_of(seed):
    drawn = bytes_of(seed)
    return [int.from_bytes(drawn[8 * i:8 * i + 8], "little") for i in range(32)]


def write(file, count):
    """Vectors of `count` draws per sampler. A draw that needs more than 32 words is left out."""
    random.seed(20261128)
    lines = ["kind,scale,scores,seed,value,words"]
    for kind in KINDS:
        settings = [setting for setting in SETTINGS if setting[0] == kind]
        made = 0
        while made < count:
            _, scale, scores = settings[made % len(settings)]
            seed = random.randrange(1, 2 ** 31 - 1)
            try:
                value, used = second(kind, scale, scores, words_of(seed), 1)
            except TooShort:
                continue
            assert (value, used) == kernel(kind, scale, scores, words_of(seed), 1)
            lines.append(f"{kind},{scale.hex()},{' '.join(str(int(s)) for s in scores)},{seed},{value[0]},{used}")
            made += 1
    with open(file, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} test vectors")


equal_draws, all_draws = compare(400)
print(f"second program: {equal_draws} of {all_draws} draws equal, and the same words used")
write(sys.argv[2], 200)
sys.exit(0 if equal_draws == all_draws else 1)
