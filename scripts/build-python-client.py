"""`npm run python-client`: generates the Python client from the API document and packs it as a wheel, served at /sdk/python.

Runs in the environment of .ci/venv, after `npm run build`. A wheel is a zip file with metadata (PEP 427), so no build tool is needed. The same
document gives the same bytes.
"""

import base64
import hashlib
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
out = root / "dist/sdk/python"
name = "verifyhuman"
version = json.loads((root / "package.json").read_text())["version"]
info = f"{name}-{version}.dist-info"
metadata = f"""Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: Client of the VerifyHuman API, generated from its OpenAPI document.
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: attrs >=23
Requires-Dist: httpx >=0.25,<0.29
"""
wheel = "Wheel-Version: 1.0\nGenerator: verifyhuman\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def generate(folder: Path) -> dict[str, bytes]:
    """Files of the package by their path in the wheel."""
    generator = Path(sys.executable).with_name("openapi-python-client")
    document = ["--path", root / "dist/openapi/api.json", "--output-path", folder / name, "--meta", "none"]
    subprocess.run([generator, "generate", *document, "--config", root / ".ci/python-client.yaml", "--fail-on-warning"], check=True)
    sources = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}
    return {**sources, f"{name}/py.typed": b""}


def pack(files: dict[str, bytes]) -> bytes:
    def digest(content: bytes) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()

    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items())
    files = {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


with tempfile.TemporaryDirectory() as folder:
    package = generate(Path(folder))
content = pack(
    {
        **package,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": wheel.encode(),
        f"{info}/licenses/LICENSE": (root / "LICENSE").read_bytes(),
    }
)
out.mkdir(parents=True, exist_ok=True)
for old in out.iterdir():
    old.unlink()
filename = f"{name}-{version}-py3-none-any.whl"
(out / filename).write_bytes(content)
manifest = {"name": name, "version": version, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
(out / "integrity.json").write_text(json.dumps({filename: manifest}, indent=2) + "\n")
print(f"{filename}: {len(content)} bytes, {len(package)} files")
