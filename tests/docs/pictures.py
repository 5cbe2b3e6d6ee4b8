#!/usr/bin/env python3
"""The pictures of docs/language, drawn by `tilewright layout --svg`.

pictures.py TILEWRIGHT [--update]: without --update it says which pictures the binary would draw in another way."""
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "language", "images")
PICTURES = {  # the picture: the words of the command behind `tilewright layout`
    "slice_swizzled": ['mma_shared_layout("float16", 3, (8, 64)).slice((8, 64), [(2, 4), (0, 64)])', "--shape", "2,64", "--by", "bank"],
    "banks_plain": ["S[8, 64]", "--shape", "8,64", "--by", "bank"],
    "banks_128": ['mma_shared_layout("float16", 3, (8, 64))', "--shape", "8,64", "--by", "bank"],
    "datapath_f": ['tmem_datapath_layout("F", 64, 4)', "--shape", "64,4", "--rows", "20"],
    "fragment_16x256b": ['tcgen05_atom_layout("16x256b", (64, 8), "float32")', "--shape", "64,8", "--rows", "16"],
    "accumulator": ["S[(2, 8, 4, 2) : (2, 4 @ laneid, 1 @ laneid, 1)]", "--shape", "16,8"],
    "operand_a": ["S[(2, 8, 2, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)]", "--shape", "16,16"],
    "operand_b": ["S[(2, 4, 2, 8) : (2, 1 @ laneid, 1, 4 @ laneid)]", "--shape", "16,8"],
    "register_rows": ["S[(8, 8) : (1 @ laneid, 1)]", "--shape", "8,8"],
    "scale_factors": ["sf_tmem_layout(128, 4, 1)", "--shape", "128,4", "--rows", "40"],
}


def drawn(binary, words):
    done = subprocess.run([binary, "layout", *words, "--svg"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"tilewright layout {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def main():
    wrong = 0
    for name, words in PICTURES.items():
        path, picture = os.path.join(FOLDER, name + ".svg"), drawn(sys.argv[1], words)
        if "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as f:
                f.write(picture)
            continue
        with open(path, encoding="utf-8") as f:
            if f.read() == picture:
                continue
        print(f"docs/language/images/{name}.svg is drawn in another way: pictures.py TILEWRIGHT --update")
        wrong = 1
    for name in os.listdir(FOLDER):
        if name.removesuffix(".svg") not in PICTURES:
            print(f"docs/language/images/{name} is not drawn any more")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
