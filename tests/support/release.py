"""Scripts of tests are written in release 0.25, where they do not say another one.

Importing this puts the temporary folders of the test, and of what it starts, below one whose requirements say so.
"""
import atexit
import os
import shutil
import tempfile

folder = tempfile.mkdtemp(prefix="tw-")
os.chmod(folder, 0o755)  # what a test starts may run as another user
with open(os.path.join(folder, "requirements.txt"), "w", encoding="utf-8") as f:
    f.write("apache-tvm==0.25.0.post1\n")
tempfile.tempdir = folder
atexit.register(shutil.rmtree, folder, True)
