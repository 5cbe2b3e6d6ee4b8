"""A folder to unpack anywhere: bin/ and share/ as they stand below a prefix."""
import gzip
import io
import tarfile

from contents import shared


def make(made, folder):
    name = f"tilewright-{made.version}-linux-{made.machine}"
    files = shared(made)
    files["share/zsh/site-functions/_tilewright"] = (made.completions["zsh"].encode(), 0o644)
    files["share/fish/vendor_completions.d/tilewright.fish"] = (made.completions["fish"].encode(), 0o644)
    for text in ("LICENSE", "THIRD-PARTY-NOTICES.txt", "README.md"):
        files[text] = (made.text(text), 0o644)
    path = f"{folder}/{name}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=made.time) as zipped, \
            tarfile.open(fileobj=zipped, mode="w") as tar:
        for inside, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{inside}")
            entry.size, entry.mode, entry.mtime = len(data), mode, made.time
            entry.uname = entry.gname = "root"
            tar.addfile(entry, io.BytesIO(data))
    return path
