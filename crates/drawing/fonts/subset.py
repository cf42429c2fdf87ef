#!/usr/bin/env python3
"""Makes the fonts of this folder: `pip install fonttools brotli`, then `subset.py FOLDER`, which has the fonts whole.

They are DejaVu 2.37 and, from the Noto fonts, NotoSansDevanagari, NotoSansSC, NotoSansKR and NotoEmoji (regular,
static, as TrueType). What is left of each are the characters that are drawn with it, without hints, since letters
are anti-aliased at any size; and of the Chinese, Korean and emoji fonts without rules of layout, which need glyphs of
their own.
"""

import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
ENDS = {0x20, 0x200C, 0x200D, 0x25CC}


def ranges(*pairs):
    return {code for first, last in pairs for code in range(first, last + 1)}


def rows(encoding, first, last):
    """Characters of a double-byte encoding whose first bytes are in a range."""
    codes = set()
    for row in range(first, last + 1):
        for cell in range(0xA1, 0xFF):
            try:
                codes.add(ord(bytes([row, cell]).decode(encoding)))
            except UnicodeDecodeError:
                pass
    return codes


# Latin, Greek, Cyrillic; punctuation, currencies, numbers, arrows, mathematics, shapes.
EUROPEAN = ranges((0x20, 0x52F), (0x1E00, 0x1FFF), (0x2000, 0x23FF), (0x2460, 0x2473), (0x2500, 0x2612)) | ranges(
    (0x2660, 0x2667), (0x2713, 0x2718), (0x27C0, 0x27FF), (0xFB00, 0xFB06), (0xFFFD, 0xFFFD)
)
# Armenian, Hebrew, Arabic, Georgian, and forms of their letters.
NEAR = ranges((0x530, 0x6FF), (0x750, 0x77F), (0x10A0, 0x10FF), (0xFB13, 0xFDFF), (0xFE70, 0xFEFE)) | ENDS
DEVANAGARI = ranges((0x900, 0x97F), (0x1CD0, 0x1CFF), (0xA8E0, 0xA8FF)) | ENDS
# Punctuation and kana; the 3755 frequent characters of GB 2312, and the 2965 of JIS X 0208.
CHINESE = ranges((0x3000, 0x30FF), (0xFF00, 0xFFEF)) | rows("gb2312", 0xB0, 0xD7) | rows("euc_jp", 0xB0, 0xCF)
# The 2350 syllables of KS X 1001, and letters.
KOREAN = rows("euc_kr", 0xB0, 0xC8) | ranges((0x3131, 0x318E))


def characters(font):
    return set(font.getBestCmap())


def make(folder, name, codes, layout=True):
    font = TTFont(next(folder.rglob(name)))
    options = subset.Options(hinting=False, layout_features=["*"] if layout else [], notdef_outline=True)
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.drop_tables += ["DSIG", "FFTM"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes(font) if callable(codes) else codes)
    subsetter.subset(font)
    to = HERE / name.replace("_400Regular", "")
    font.save(to)
    print(f"{to.name}: {len(characters(font))} characters, {to.stat().st_size} bytes")
    return characters(font)


def main():
    folder = pathlib.Path(sys.argv[1])
    mono = make(folder, "DejaVuSansMono.ttf", EUROPEAN)
    make(folder, "DejaVuSansMono-Bold.ttf", EUROPEAN)
    make(folder, "DejaVuSans.ttf", NEAR | EUROPEAN - mono)
    make(folder, "NotoSansDevanagari_400Regular.ttf", DEVANAGARI)
    make(folder, "NotoSansSC_400Regular.ttf", CHINESE, layout=False)
    make(folder, "NotoSansKR_400Regular.ttf", KOREAN, layout=False)
    make(folder, "NotoEmoji_400Regular.ttf", characters, layout=False)


main()
