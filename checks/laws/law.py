"""Compares the exact laws of the samplers with the laws of their proofs, one layer at a time.

The compiled kernels run with every outcome of the coins that they ask for (layers.c), and each outcome has the exact
probability of its coin. So the result is a law, not a sample. The laws on the other side are written here from
inst/proofs, not from the code. Numbers are fractions, or have 60 digits where exp() is needed.

    checks/laws.sh builds the library and runs this file: python3 law.py LIBRARY [LAYER]

LAYER is the beginning of a name; other layers are left out.

A line per layer: the number of cases and runs, the probability of branches that were cut off, and the largest relative
difference of a probability from the proof. Each probability must be within what the cut branches leave open.
"""
import ctypes
import itertools
import random
import struct
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
random.seed(20261129)
ROUNDING = Decimal(10) ** -50  # of 60 digits
(FAULT, WORD, FEW, BIT, BELOW, RATIO, BERNOULLI, UNIT, EXP, LAPLACE, COIN, CELL, FRACTION, VARIATE, ROUND, STEP, NEW,
 LIMB, DESCENT, HALF, STEP_COIN) = range(21)

# ---- the kernels ---------------------------------------------------------------------------------------------------


class Arguments(ctypes.Structure):
    _fields_ = [("scale", ctypes.c_double), ("above", ctypes.c_uint64 * 2), ("below", ctypes.c_uint64 * 2),
                ("mantissa", ctypes.c_uint64), ("bound", ctypes.c_uint64), ("cell", ctypes.c_uint64),
                ("point", ctypes.c_uint64), ("exponent", ctypes.c_int64), ("shift", ctypes.c_int64),
                ("places", ctypes.c_int64), ("wide", ctypes.c_int64), ("count", ctypes.c_int64),
                ("score", ctypes.POINTER(ctypes.c_double)), ("limb", ctypes.c_uint16 * 16)]


library = ctypes.CDLL(sys.argv[1])
wanted = sys.argv[2] if len(sys.argv) > 2 else ""
runs = 0


def given(score=(), limb=(), above=0, below=0, **numbers):
    """Arguments of a sampler."""
    own = Arguments(**numbers)
    own.above[:] = above % 2 ** 64, above >> 64
    own.below[:] = below % 2 ** 64, below >> 64
    own.limb[:len(limb)] = limb
    if limb:
        own.count = len(limb)
    if score:
        own.score, own.count = (ctypes.c_double * len(score))(*score), len(score)
    return own


def run(sampler, arguments, asks, tape):
    """The value of the sampler, or the question that follows the answers of the tape: (kind, number, number)."""
    global runs
    runs += 1
    value, question = ctypes.c_int64(), (ctypes.c_uint64 * 5)()
    answers = (ctypes.c_int64 * (len(tape) + 1))(*(x - 2 ** 64 if x >= 2 ** 63 else x for x in tape))
    done = library.run(sampler.encode(), ctypes.byref(arguments), ctypes.c_uint64(sum(1 << kind for kind in asks)),
                       answers, len(tape), ctypes.byref(value), question)
    if done == 1:
        return value.value, None
    if done == 2 or question[0] == FAULT:
        raise Wrong("a coin is asked in another order than in the proof")
    return None, (question[0], question[1] << 64 | question[2], question[3] << 64 | question[4])


class Wrong(Exception):
    pass


# ---- probabilities -------------------------------------------------------------------------------------------------


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)


def exp(x):
    return decimal(x).exp()


def coin(p):
    return [(1, p), (0, 1 - p)]


def signed(x):
    """A number of 128 bits as a signed one."""
    return x - 2 ** 128 if x >= 2 ** 127 else x


def double(bits):
    return struct.unpack("d", struct.pack("Q", bits))[0]


def outcomes(question, before, start=None):
    """Answers to a question with their probabilities. `start` is the number that a descent begins with."""
    kind, a, b = question
    if kind == FEW:
        return [(i, Fraction(1, 2 ** a)) for i in range(2 ** a)]
    if kind == BIT:
        return coin(Fraction(1, 2))
    if kind == BELOW:
        return [(i, Fraction(1, a)) for i in range(a)]
    if kind == RATIO:
        return coin(Fraction(a, b))
    if kind == BERNOULLI:
        return coin(Fraction(double(a)))
    if kind == UNIT:
        return coin(exp(-1))
    if kind == EXP:
        return coin(exp(Fraction(-a, b)))
    if kind == LAPLACE:
        scale = Fraction(a) * Fraction(2) ** signed(b)
        r = exp(-1 / scale)
        most = int(45 * scale) + 5
        return [(y, (1 - r) / (1 + r) * r ** abs(y)) for y in range(-most, most + 1)]
    if kind == STEP:  # step n of a descent is below the numbers before it with probability x^n/n!
        return coin(start / (1 + sum(1 for earlier, answer in before if earlier[0] == STEP and answer)))
    if kind == NEW:
        return coin(start)
    if kind == HALF:
        return coin(exp(Fraction(-1, 2)))
    raise Wrong(f"asks for what the proof does not have: {question}")


def law(sampler, arguments, asks, least, new_round=None, outcomes_of=outcomes, prefix=()):
    """Probabilities of values, by all answers whose probability is at least `least`, and the total of all others.

    A sampler that rejects begins a new round with a question of the kind `new_round`, or if the function `new_round` of
    the answers is true. Rounds are independent, so one is enough. The law after the first round that was rejected is
    compared with it.
    """
    begins = new_round if callable(new_round) else lambda question, before: question[0] == new_round
    mass, lost, again = {}, Decimal(0), None
    stack = [(list(prefix), [], Decimal(1))]
    while stack:
        tape, before, p = stack.pop()
        value, question = run(sampler, arguments, asks, tape)
        if question is None:
            mass[value] = mass.get(value, Decimal(0)) + p
            continue
        if before and begins(question, before):
            again = again or tape
            continue
        total = Decimal(0)
        for answer, weight in outcomes_of(question, before):
            weight = decimal(weight)
            total += weight
            if p * weight < least:
                lost += p * weight
            else:
                stack.append((tape + [answer], before + [(question, answer)], p * weight))
        lost += p * max(Decimal(0), 1 - total - ROUNDING)  # Laplace draws that are left out
    if again and not prefix:
        other = law(sampler, arguments, asks, least, new_round, outcomes_of, again)
        if other[0] != mass:
            raise Wrong("the law depends on the round before")
    return mass, lost


class Layer:
    """The comparison of one layer, over several cases."""

    def __init__(self, name):
        self.name, self.cases, self.faults, self.begun = name, 0, [], runs
        self.lost = self.worst = Decimal(0)

    def compare(self, case, found, ideal):
        """`found` is (mass, lost). Each probability is its mass, or more by at most what is lost, divided by the
        probability that a round ends. So some probability of this must fit all values."""
        mass, lost = found
        ideal = {y: p for y, p in ideal.items() if p > 0}
        self.cases += 1
        self.lost = max(self.lost, lost)
        if any(p > 0 and y not in ideal for y, p in mass.items()):
            return self.faults.append(f"{case}: a value of probability zero")
        at_least = max(mass.get(y, Decimal(0)) / p for y, p in ideal.items())
        at_most = min((mass.get(y, Decimal(0)) + lost) / p for y, p in ideal.items())
        if at_least > at_most * (1 + ROUNDING):
            self.faults.append(f"{case}: not the law of the proof")
        together = sum(mass.values()) / sum(ideal[y] for y in mass if y in ideal)
        for y in ideal.keys() & mass.keys():
            if mass[y] > Decimal("1e-6"):
                self.worst = max(self.worst, abs(mass[y] / (ideal[y] * together) - 1))

    def equal(self, case, found, expected):
        self.cases += 1
        if found != expected:
            self.faults.append(f"{case}: {found}, not {expected}")

    def report(self):
        print(f"{self.name:44s} {self.cases:6d} cases {runs - self.begun:7d} runs, "
              f"cut off {float(self.lost):.0e}, difference {float(self.worst):.0e}"
              f"{'  WRONG' if self.faults else ''}")
        for fault in self.faults[:3]:
            print("   ", fault)


layers = []


def layer(name):
    """Runs a function that fills a layer."""
    def decorate(check):
        if not name.startswith(wanted):
            return check
        own = Layer(name)
        try:
            check(own)
        except Wrong as fault:
            own.faults.append(str(fault))
        own.report()
        layers.append(own)
        return check
    return decorate


TINY = Decimal("1e-14")

# ---- coins (privacy-noise.md, statements 1 to 3) -------------------------------------------------------------------


@layer("integers below a bound, from bits")
def below(own):
    for bound in (1, 2, 3, 5, 8, 37, 200):
        found = law("below", given(bound=bound), [FEW], TINY, FEW)
        own.compare(bound, found, {y: Decimal(1) for y in range(bound)})


@layer("coin of a ratio, from bits")
def ratio(own):
    large = [(10 ** 30, 3 * 10 ** 30 + 1), (2 ** 126, 2 ** 127 - 1)]
    for a, b in [(0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (5, 7)] + large:
        p = decimal(Fraction(a, b))
        own.compare((a, b), law("ratio", given(above=a, below=b), [BIT], Decimal(2) ** -64), {1: p, 0: 1 - p})


@layer("coin of a double, from bits")
def bernoulli(own):
    for p in (0.0, 1.0, 0.5, 0.3, 1 - 2.0 ** -53, 2.0 ** -30, 2.0 ** -60 * 1.7):
        exact = decimal(Fraction(p))
        own.compare(p, law("bernoulli", given(scale=p), [BIT], Decimal(2) ** -70), {1: exact, 0: 1 - exact})


@layer("coin of exp(-1), from coins of 1/k")
def unit(own):
    own.compare("", law("unit", given(), [RATIO], Decimal("1e-40")), {1: exp(-1), 0: 1 - exp(-1)})


@layer("coin of exp(-a/b), from ratios and exp(-1)")
def exp_ratio(own):
    for a, b in [(0, 1), (1, 2), (2, 3), (1, 1), (5, 4), (7, 2), (2 ** 40 + 1, 2 ** 41), (2 ** 125 + 1, 2 ** 126)]:
        p = exp(Fraction(-a, b))
        found = law("exp ratio", given(above=a, below=b), [RATIO, UNIT], Decimal("1e-20"))
        own.compare((a, b), found, {1: p, 0: 1 - p})


@layer("coin of exp(-x) for a double x")
def exp_double(own):
    for x in (0.0, 0.3, 1.0, 1.75, 4.1, 2.0 ** -20):
        p = exp(Fraction(-Fraction(x)))
        found = law("exp", given(scale=x), [RATIO, UNIT, BERNOULLI], Decimal("1e-20"))
        own.compare(x, found, {1: p, 0: 1 - p})
    own.equal("2^20", run("exp", given(scale=2.0 ** 20), [], [])[0], 0)


# ---- discrete Laplace and Gaussian (statements 4 and 5) ------------------------------------------------------------


@layer("discrete Laplace")
def laplace(own):
    for m, e in [(1, 0), (3, 0), (1, 2), (5, -1), (7, -3), (1, -2)]:
        scale = Fraction(m) * Fraction(2) ** e
        found = law("Laplace", given(mantissa=m, exponent=e), [BELOW, EXP, UNIT, BIT], Decimal("1e-12"), BELOW)
        own.compare((m, e), found, {y: exp(-abs(y) / scale) for y in found[0]})


def dyadic():
    """Any scale of noise."""
    bits = random.randint(1, 24)
    m = random.getrandbits(bits) | 1 | 1 << (bits - 1)
    return m, random.randint(-30 - bits, 40 - bits)


@layer("discrete Laplace, any scale: coins and value")
def laplace_coins(own):
    for _ in range(1000):
        m, e = dyadic()
        t, s = (m << e, 1) if e > 0 else (m, 1 << -e)
        arguments, asks = given(mantissa=m, exponent=e), [BELOW, EXP, UNIT, BIT]
        u, v, negative = random.randrange(t), random.randint(0, 3), random.getrandbits(1)
        own.equal((m, e), run("Laplace", arguments, asks, [])[1], (BELOW, t, 0))
        own.equal((m, e), run("Laplace", arguments, asks, [u])[1], (EXP, u, t))
        y = (u + t * v) // s
        value, question = run("Laplace", arguments, asks, [u, 1] + [1] * v + [0, negative])
        if y or not negative:
            own.equal((m, e, u, v), value, -y if negative else y)
        else:
            own.equal((m, e, u, v), question, (BELOW, t, 0))


@layer("discrete Gaussian")
def gaussian(own):
    for m, e in [(1, 0), (3, 0), (3, -1), (1, 1), (5, -3)]:
        sigma = Fraction(m) * Fraction(2) ** e
        found = law("Gaussian", given(mantissa=m, exponent=e), [LAPLACE, EXP], Decimal("1e-30"), LAPLACE)
        own.compare((m, e), found, {y: exp(-y * y / (2 * sigma * sigma)) for y in found[0]})


@layer("discrete Gaussian, any scale: coins")
def gaussian_coins(own):
    for _ in range(1000):
        m, e = dyadic()
        sigma, arguments, asks = Fraction(m) * Fraction(2) ** e, given(mantissa=m, exponent=e), [LAPLACE, EXP]
        top = 0
        while Fraction(2) ** top <= sigma:
            top += 1
        while Fraction(2) ** (top - 1) > sigma:
            top -= 1
        envelope = Fraction(2) ** top
        own.equal((m, e), run("Gaussian", arguments, asks, [])[1], (LAPLACE, 1, top % 2 ** 128))
        y = int(envelope * random.choice((0, 1, -2, 20, -500, 2 ** 20)) * Fraction(random.random()))
        x = (abs(y) - sigma ** 2 / envelope) ** 2 / (2 * sigma ** 2)
        value, question = run("Gaussian", arguments, asks, [y])
        if x < 2 ** 20 or question[0] == EXP:
            own.equal((m, e, y), (question[0], Fraction(question[1], max(1, question[2]))), (EXP, x))
            own.equal((m, e, y), run("Gaussian", arguments, asks, [y, 1])[0], y)
        else:
            own.equal((m, e, y), question[0], LAPLACE)


# ---- choice (privacy-choice.md, claim 1) ---------------------------------------------------------------------------


@layer("choice")
def choice(own):
    for scores, rate in [((0, 1, 3), .5), ((2, 2, 2, 1), 1.0), ((-5, 0), 2.0 ** -6), ((0, 10), .1), ((3, 1, 2), 0.0)]:
        found = law("choice", given(score=scores, scale=rate), [BELOW, EXP], TINY, BELOW)
        own.compare((scores, rate), found, {i: exp(Fraction(rate) * s) for i, s in enumerate(scores)})


@layer("choice, any scores and rate: coins")
def choice_coins(own):
    for _ in range(1000):
        scores = [random.randint(-2 ** 53, 2 ** 53) >> random.randint(0, 53) for _ in range(random.randint(2, 5))]
        rate = random.choice((0.0, 2.0 ** -73, 2.0 ** 40, random.random() * 2.0 ** random.randint(-70, 40)))
        i = random.randrange(len(scores))
        question = run("choice", given(score=scores, scale=rate), [BELOW, EXP], [i])[1]
        own.equal((scores, rate, i), (question[0], Fraction(question[1], question[2])),
                  (EXP, Fraction(rate) * (max(scores) - scores[i])))
        own.equal((scores, rate, i), run("choice", given(score=scores, scale=rate), [BELOW, EXP], [i, 1])[0], i)


# ---- exp(epsilon/2) from below (diagram-private.md, lemma 4) -------------------------------------------------------


@layer("exp(epsilon/2) from below")
def factor(own):
    # The integers of the lemma, which rocq/Factor.v proves to be below exp(), are those of the kernel.
    library.dpt_factor_below.restype = ctypes.c_uint64
    c = int(2 ** 112 * Decimal(2).ln()) + 1
    for _ in range(1000):
        epsilon = random.choice((1024.0, 1.0, 2.0 ** -40, random.random() * 2.0 ** random.randint(-60, 10)))
        x = int(2 ** 112 * Fraction(epsilon) / 2)
        rest = x % c >> 49
        term = total = 2 ** 63
        for k in range(1, 41):
            term = (term * rest >> 63) // k
            total += term
        q = ctypes.c_int64()
        found = library.dpt_factor_below(ctypes.c_double(epsilon), ctypes.byref(q))
        own.equal(epsilon, (found, q.value), (total // 2, x // c))
        gap = 1 - Decimal(2) ** (q.value - 62) * found / exp(Fraction(epsilon) / 2)
        own.equal(epsilon, 0 <= gap < Decimal(2) ** -59, True)


# ---- uniform numbers and descents (privacy-norm.md, lemmas 3 to 7) -------------------------------------------------


@layer("comparison of uniform numbers")
def less(own):
    limbs = (0, 1, 65535)
    for x in itertools.product(limbs, repeat=3):
        for z in itertools.product(limbs, repeat=3):
            if x == z:
                continue
            first = next(i for i in range(3) if x[i] != z[i])
            drawn = run("less", given(limb=x), [LIMB], z[:first + 1])[0]
            own.equal((z, x), drawn, int(z < x))
            # limbs of both are drawn in turn
            both = [limb for pair in zip(z, x) for limb in pair][:2 * first + 2]
            own.equal((z, x), run("less", given(), [LIMB], both)[0], int(z < x))


def of_descent(x):
    return lambda question, before: outcomes(question, before, decimal(x))


STARTS = (Fraction(1, 2 ** 16), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10))


@layer("descent: coin of exp(-x)")
def descent(own):
    for x in STARTS:
        found = law("descent", given(), [STEP], Decimal("1e-30"), outcomes_of=of_descent(x))
        own.compare(x, found, {1: exp(-x), 0: 1 - exp(-x)})


@layer("coin of exp(-1/2)")
def half(own):
    def answers(question, before):
        if question[0] == LIMB:  # by its first bit
            return [(limb, Fraction(1, 4)) for limb in (0, 2 ** 15 - 1, 2 ** 15, 2 ** 16 - 1)]
        if question != (DESCENT, 1, 1):
            raise Wrong("the descent does not begin with the number that was drawn")
        return coin(2 * (1 - exp(Fraction(-1, 2))))  # mean of exp(-y) over y in (0, 1/2)
    own.compare("", law("half", given(), [LIMB, DESCENT], TINY, outcomes_of=answers),
                {1: exp(Fraction(-1, 2)), 0: 1 - exp(Fraction(-1, 2))})


def by_thirds(k, x):
    """Answers for descents that also draw f. All f below 2 k have one continuation, and so have all above it: the first
    f of a descent is the smallest or the largest of its class, and all others are any of it."""
    def answers(question, before):
        if question[0] != BELOW:
            return outcomes(question, before, decimal(x))
        ends = (0, 2 * k, 2 * k + 1, question[1])
        classes = [(low, high) for low, high in zip(ends, ends[1:]) if low < high]
        if any(earlier[0] == BELOW for earlier, _ in before):
            return [(random.randrange(low, high), Fraction(high - low, question[1])) for low, high in classes]
        return [(f, Fraction(high - low, 2 * question[1])) for low, high in classes for f in (low, high - 1)]
    return answers


@layer("coin of exp(-x (2k + x)/(2k + 2))")
def step_coin(own):
    for k in (0, 1, 2, 9):
        for x in STARTS:
            p = exp(-x * (2 * k + x) / (2 * k + 2))
            found = law("step", given(cell=k), [STEP, NEW, BELOW], Decimal("1e-12"), outcomes_of=by_thirds(k, x))
            own.compare((k, x), found, {1: p, 0: 1 - p})


@layer("exponential variate: its integer part")
def exponential(own):
    def answers(question, before):
        if question != (DESCENT, 0, 0):
            raise Wrong("a descent does not begin with a new number")
        return coin(1 - exp(-1))  # mean of exp(-x) over x in (0, 1)
    found = law("exponential", given(), [DESCENT], Decimal("1e-20"), outcomes_of=answers)
    own.compare("", found, {k: exp(-k) for k in found[0]})


@layer("normal variate: its integer part and sign")
def normal(own):
    for x in STARTS:
        def answers(question, before):
            if question[0] == STEP_COIN:
                if question[2] != sum(1 for earlier, _ in before if earlier[0] == STEP_COIN):
                    raise Wrong("a fraction is not new")
                return coin(exp(-x * (2 * question[1] + x) / (2 * question[1] + 2)))
            return outcomes(question, before)
        # A round has k coins of exp(-1/2), one that fails, and k (k - 1) + k + 1 more coins. If one of these fails, a
        # new round begins.
        found = law("normal", given(), [HALF, STEP_COIN, BIT], Decimal("1e-15"),
                    lambda _, before: sum(1 for _, answer in before if answer == 0) == 2, answers)
        own.compare(x, found, {y: exp(-((y if y >= 0 else -1 - y) + x) ** 2 / 2) for y in found[0]})


# ---- rounded normals (privacy-rounded-normal.md) -------------------------------------------------------------------

CELLS = 128
LENGTH = 3 * 2 ** 59


def length(cell, shift=0):
    """2^shift L_c, in points."""
    return LENGTH * 2 ** shift * exp(Fraction(-cell * cell, 128))


def ranges():
    first, sure = (ctypes.c_uint64 * (CELLS + 2))(), (ctypes.c_uint64 * (CELLS + 2))()
    library.ranges(first, sure)
    return list(first), list(sure)


@layer("rounded normal: coin of a doubtful point")
def doubtful(own):
    # The answer is whether a uniform number is below the probability. So the end of the kept numbers is found by
    # bisection, with as many words as the kernel asks for.
    bits = 256

    def is_kept(arguments, uniform):
        tape = []
        for i in range(bits // 64):
            answer, question = run("coin", arguments, [WORD], tape)
            if question is None:
                return answer
            tape.append(uniform >> (bits - 64 - 64 * i) & 2 ** 64 - 1)
        return run("coin", arguments, [WORD], tape)[0]

    for point, cell, shift in [(0, 74, 0), (0, 75, 0), (1, 73, 0), (2, 72, 0), (0, 128, 124), (4, 130, 132),
                               (0, 150, 190), (LENGTH - 1, 0, 0), (5, 128, 0), (2 ** 20, 50, 0)]:
        exact = min(Decimal(1), max(Decimal(0), length(cell, shift) - point))
        arguments = given(point=point, cell=cell, shift=shift)
        first, last = 0, 2 ** bits  # numbers below `first` are kept, and numbers from `last` on are not
        while last > first:
            middle = (first + last) // 2
            kept = is_kept(arguments, middle)
            if kept is None:
                break
            first, last = (middle + 1, last) if kept else (first, middle)
        kept, undecided = Decimal(first) / 2 ** bits, Decimal(last - first) / 2 ** bits
        own.compare((point, cell, shift), ({1: kept, 0: 1 - kept - undecided}, undecided), {1: exact, 0: 1 - exact})


@layer("rounded normal: cells, from points of 64 bits")
def cells(own):
    # Decisions compare points with the ends of ranges. So the law is constant between two ends.
    first, sure = ranges()
    ends = sorted(set(first + sure))
    asks = [BELOW, COIN, BIT]
    mass, open_heads = {}, Decimal(0)
    tail = 2 ** 48
    rest = Decimal(1)

    def add(cell, p):
        mass[cell] = mass.get(cell, Decimal(0)) + p

    def point_law(p, tape):
        """Adds the law of one point, or of many that are alike."""
        value, question = run("cell", given(), asks, tape)
        if question is None:
            return add(value, p)
        if question == (BELOW, 2 ** 16, 0):
            return None  # dropped
        if question[0] == BIT:
            if len(tape) < 60:
                point_law(p / 2, tape + [1])
                point_law(p / 2, tape + [0])
            return None
        if question[0] != COIN:
            raise Wrong("asks for what the proof does not have")
        point, cell, shift = question[1] >> 64, question[1] % 2 ** 64, question[2]
        kept = min(Decimal(1), max(Decimal(0), length(cell, shift) - point))
        value, again = run("cell", given(), asks, tape + [1])
        own.equal("a coin", (value, run("cell", given(), asks, tape + [0])[1]), (cell, (BELOW, 2 ** 16, 0)))
        return add(cell, p * kept)

    for head in range(2 ** 16):
        value, question = run("cell", given(), asks, [head])
        if question is None:
            add(value, Decimal(2) ** -16)
            continue
        own.equal("bits of a point", question, (BELOW, tail, 0))
        low, high = head * tail, (head + 1) * tail
        cuts = [low] + [end for end in ends if low < end < high] + [high]
        for start, stop in zip(cuts, cuts[1:]):
            count = Decimal(stop - start)
            if any(f <= start < s for f, s in zip(first, sure)) or start >= first[-1]:
                # alike: the first, the last, and one between
                tests = {start, stop - 1, (start + stop) // 2}
                laws = {run("cell", given(), asks, [head, point - low])[:1] for point in tests}
                own.equal("points between two ends", len(laws), 1)
                point_law(count * Decimal(2) ** -64, [head, start - low])
            else:
                for point in range(start, stop):
                    point_law(Decimal(2) ** -64, [head, point - low])
    # Cells above 128 + 50 are left out.
    far = sum(length(c) for c in range(CELLS + 40, CELLS + 60)) * Decimal(2) ** -64
    own.compare("", (mass, far), {c: length(c) for c in range(CELLS + 40)} | {c: length(c) for c in mass})


@layer("rounded normal: coin of a fraction")
def fraction(own):
    for cell in (0, 1, 5, 63, 64, 100, 130, 200):
        coins = cell // 64 + 1
        for y in STARTS:
            p = exp(-y * (2 * cell + y) / (128 * coins))
            found = law("fraction", given(cell=cell, bound=128 * coins), [STEP, NEW, BELOW], Decimal("1e-14"),
                        outcomes_of=by_thirds(cell, y))
            own.compare((cell, y), found, {1: p, 0: 1 - p})


@layer("rounded normal: which fractions are kept")
def variate(own):
    for cell in (0, 1, 63, 64, 127, 128, 200, 1000):
        coins = cell // 64 + 1
        for kept in range(coins + 1):
            value, question = run("variate", given(), [CELL, FRACTION], [cell] + [1] * kept + [0] * (kept < coins))
            own.equal((cell, kept), (value, question), (cell, None) if kept == coins else (None, (CELL, 0, 0)))
            question = run("variate", given(), [CELL, FRACTION], [cell] + [1] * kept)[1]
            own.equal((cell, kept), question, None if kept == coins else (FRACTION, cell << 64 | 128 * coins, kept))
            again = [cell] + [1] * kept + [0] * (kept < coins) + [3]  # a new cell, with a new fraction
            if kept < coins:
                question = run("variate", given(), [CELL, FRACTION], again)[1]
                own.equal((cell, kept), question, (FRACTION, 3 << 64 | 128, 0))


@layer("rounded normal: rounding")
def rounding(own):
    # The result changes where scale (cell + y)/8 + 1/2 is an integer. Fractions next to these ends must be decided
    # rightly, and the bits of the end itself must not decide, unless it begins with all of them.
    for _ in range(1500):
        scale = random.choice((1.0, 0.5, 7 / 3, 2.0 ** -30, 2.0 ** 40, random.random() * 2.0 ** random.randint(-8, 40)))
        exact = max(Fraction(scale), Fraction(1, 2 ** 30))
        cell = random.choice((0, 1, 7, random.randint(0, 70), random.randint(0, 1100)))
        wide, places = random.getrandbits(1), random.choice((1, 15, 16, 32, 48, 64, 80))
        k = int(exact * (cell + Fraction(random.random())) / 8 + Fraction(1, 2))
        end = 8 * (k - Fraction(1, 2)) / exact - cell
        for moved in (-1, 0, 1, random.randint(-9, 9)):
            x = int((end % 1) * 2 ** places) + moved
            if not 0 <= x < 2 ** places:
                continue
            bits = x << (256 - places)
            limb = [bits >> (240 - 16 * i) & 65535 for i in range(16)]
            found = run("round", given(scale=scale, cell=cell, places=places, wide=wide, limb=limb), [], [])[0]
            low = exact * (cell + Fraction(x, 2 ** places)) / 8 + Fraction(1, 2)
            high = exact * (cell + Fraction(x + 1, 2 ** places)) / 8 + Fraction(1, 2)
            # an integer part for all fractions that begin with these bits, or none
            last = -(-high.numerator // high.denominator) - 1
            own.equal((scale, cell, places, x), found, int(low) if int(low) == last else -1)


@layer("rounded normal: sign, and bits until they decide")
def rounded_normal(own):
    asks = [VARIATE, BIT, ROUND]
    for scale, begin in [(2.0 ** -30, 16), (1.0, 16), (2.0 ** 15, 16), (40000.0, 32), (2.0 ** 31, 32), (2.0 ** 40, 48)]:
        bits = struct.unpack("Q", struct.pack("d", scale))[0]
        arguments = given(scale=scale)
        own.equal(scale, [run("rounded normal", arguments, asks, tape)[1][0] for tape in ([], [0])], [VARIATE, BIT])
        for negative in (0, 1):
            for rounds in range(4):
                tape = [0, negative] + [-1] * rounds
                question = run("rounded normal", arguments, asks, tape)[1]
                own.equal((scale, tape), question, (ROUND, bits, begin + 16 * rounds))
                for size in (0, 1, 2 ** 62):
                    own.equal((scale, tape, size), run("rounded normal", arguments, asks, tape + [size])[0],
                              -size if negative else size)


wrong = [own.name for own in layers if own.faults]
print(f"{len(layers)} layers, {len(wrong)} wrong, {runs} runs")
sys.exit(1 if wrong or not layers else 0)
