#!/usr/bin/env python3
"""Clients that others generate of /openapi.json: made, compiled and used.

    clients.py --missing            the generators that cannot be tried here, each with what it lacks
    clients.py NAME FOLDER URL      tries one on the League sample that is served at URL
    clients.py --make NAME FOLDER DOCUMENT    makes and compiles the client of any document

Nothing is downloaded. `make clients` installs what is of PyPI into .build/clients; the compilers are
packages of Debian. Docs/Clients.md names both.
"""

import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent / "clients"
# The Java in which a short program is fastest.
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
# The versions of the packages of PyPI that are tried.
PINS = dict(line.strip().split("==") for line in
            (HERE.parent / "requirements.txt").read_text().splitlines() if "==" in line)
# How each program says its version, and the oldest that is enough.
PROGRAMS = {
    "java": ("-version", (11,)), "javac": ("-version", (11,)), "go": ("version", (1, 18)),
    "node": ("--version", (18,)), "tsc": ("--version", (4, 8)), "swiftc": ("--version", (6,)),
}


def lacks_package(name):
    """What is missing of a package of PyPI; None if it is here as it is tried."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return name
    return None if version == PINS[name] else f"{name} {PINS[name]} (here it is {version})"


@functools.cache
def lacks_program(name):
    """What is missing of a program; None if it is here and new enough."""
    if not shutil.which(name):
        return name
    option, least = PROGRAMS[name]
    said = subprocess.run([name, option], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout
    found = re.search(r'\b(?:version "?|javac |version go|v)(\d+(?:\.\d+)*)', said, re.IGNORECASE)
    version = found[1] if found else "unknown"
    if found and tuple(map(int, version.split("."))) >= least:
        return None
    return f"{name} {'.'.join(map(str, least))} (here it is {version})"


def jar():
    """The program of openapi-generator, which its package of PyPI has."""
    found = importlib.util.find_spec("openapi_generator_cli")
    path = found and pathlib.Path(found.origin).parent / "openapi-generator.jar"
    return str(path) if path and path.exists() else None


def script(name):
    """A program of the packages of this Python."""
    path = pathlib.Path(sysconfig.get_path("scripts")) / name
    return str(path) if path.exists() else shutil.which(name)


def run(*command, folder=None, **environment):
    """Runs a command, which must succeed."""
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment})
    if done.returncode:
        print(done.stdout[-20000:])
        sys.exit(f"{' '.join(map(str, command[:6]))} … failed with {done.returncode}")
    return done.stdout


class Generator:
    """openapi-generator for a language."""

    #: What it is run with, besides java.
    options = []
    #: Programs and packages of PyPI that its client needs.
    tools = []
    needs = []

    def __init__(self, name):
        self.name = name

    def lacks(self):
        """What is missing here, as names."""
        lacking = [lacks_program(it) for it in ["java", *self.tools]]
        lacking += [lacks_package(it) for it in ["openapi-generator-cli", *self.needs]]
        return [it for it in lacking if it] or ([] if jar() else ["openapi-generator.jar"])

    def make(self, document, folder):
        run(*JAVA, "-jar", jar(), "generate", "-i", document, "-g", self.name, *self.options,
            "-o", folder / "client")
        self.compile(folder)

    def compile(self, folder):
        pass


class Python(Generator):
    options = ["--additional-properties=packageName=stele_client"]
    needs = ["pydantic", "urllib3", "python-dateutil"]

    def compile(self, folder):
        run(sys.executable, "-c", IMPORT_ALL, folder=folder / "client")

    def use(self, folder, url):
        run(sys.executable, HERE / "openapi_generator.py", folder / "client", url)


IMPORT_ALL = """
import importlib, pkgutil, stele_client
for it in pkgutil.walk_packages(stele_client.__path__, 'stele_client.'):
    importlib.import_module(it.name)
"""


class TypeScript(Generator):
    tools = ["tsc", "node"]

    def compile(self, folder):
        program = folder / "program" / "main.ts"
        program.parent.mkdir()
        sources = [folder / "client" / "index.ts"]
        if self.program:
            shutil.copy(HERE / "main.ts", program)
            sources = [program]
        run("tsc", "--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom",
            "--outDir", folder / "built", *sources)

    def use(self, folder, url):
        run("node", folder / "built" / "program" / "main.js", url)


class Go(Generator):
    # A number without a format would be a float32, of 7 digits.
    options = ["--additional-properties=packageName=client", "--type-mappings=number=float64"]
    tools = ["go"]

    def compile(self, folder):
        # Without modules, of which others would be downloaded.
        path = folder / "go" / "src"
        path.mkdir(parents=True)
        shutil.rmtree(folder / "client" / "test", ignore_errors=True)
        (folder / "client").rename(path / "client")
        program = path / "program" / "main.go"
        program.parent.mkdir()
        if self.program:
            shutil.copy(HERE / "main.go", program)
        # The one package that the client needs checks the tags of structures. These have none, so
        # one that finds nothing does the same.
        package = path / "gopkg.in" / "validator.v2" / "validator.go"
        package.parent.mkdir(parents=True)
        package.write_text("package validator\n\nfunc Validate(any) error { return nil }\n")
        run("go", "build", "-o", folder / "main", "program" if self.program else "client",
            folder=path, GO111MODULE="off", GOFLAGS="", GOPATH=str(folder / "go"))

    def use(self, folder, url):
        run(folder / "main", url)


class Java(Generator):
    options = ["--library=native", "--additional-properties=openApiNullable=false"]
    tools = ["javac"]
    #: Where Debian has what the client needs besides Jackson, which the generator itself has.
    packages = [pathlib.Path("/usr/share/java") / f"{name}.jar" for name in
                ("httpcore", "httpclient", "httpmime", "jsr305", "geronimo-annotation-1.3-spec")]

    def lacks(self):
        return super().lacks() + [it.name for it in self.packages if not it.exists()]

    def compile(self, folder):
        sources = [*(folder / "client" / "src" / "main").rglob("*.java")]
        sources += [HERE / "Main.java"] if self.program else []
        self.path = ":".join(map(str, [folder / "built", jar(), *self.packages]))
        run("javac", "-nowarn", "-proc:none", "-d", folder / "built", "-cp", self.path, *sources)

    def use(self, folder, url):
        run(*JAVA, "-cp", self.path, "Main", url)


class Swift(Generator):
    options = ["--additional-properties=projectName=Client"]
    tools = ["swiftc"]

    def compile(self, folder):
        library = folder / "libClient.so"
        run("swiftc", "-swift-version", "6", "-Onone", "-module-name", "Client", "-emit-library",
            "-emit-module", "-emit-module-path", folder / "Client.swiftmodule", "-o", library,
            *(folder / "client" / "Sources").rglob("*.swift"))
        if self.program:
            run("swiftc", "-swift-version", "6", "-Onone", "-I", folder, "-o", folder / "main",
                HERE / "main.swift", library, "-Xlinker", "-rpath", "-Xlinker", folder)

    def use(self, folder, url):
        run(folder / "main", url)


class OfPython:
    """A generator that is a program of Python."""

    def __init__(self, name, needs, program):
        self.name, self.needs, self.script = name, needs, HERE / program

    def lacks(self):
        """What is missing here, as names."""
        return [it for it in map(lacks_package, [self.name, *self.needs]) if it]

    def make(self, document, folder):
        if self.name == "openapi-python-client":
            made = run(script(self.name), "generate", "--path", document, "--meta", "none",
                       "--output-path", folder / "client")
            # It leaves out what it does not understand.
            if "will not be generated" in made or "WARNING" in made:
                sys.exit(made)
        elif self.name == "datamodel-code-generator":
            run(script("datamodel-codegen"), "--input", document, "--input-file-type", "openapi",
                "--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin",
                "--output", folder / "models.py")
            run(sys.executable, folder / "models.py")
        else:
            run(sys.executable, "-c", "import aiopenapi3, pathlib, sys; aiopenapi3.OpenAPI.loads("
                "'http://localhost/', pathlib.Path(sys.argv[1]).read_text())", document)

    def use(self, folder, url):
        run(sys.executable, self.script, folder, url)


GENERATORS = [
    Python("python"), TypeScript("typescript-fetch"), Go("go"), Java("java"), Swift("swift6"),
    OfPython("openapi-python-client", ["httpx", "python-dateutil"], "openapi_python_client.py"),
    OfPython("aiopenapi3", ["httpx", "pydantic"], "aiopenapi3_client.py"),
    OfPython("datamodel-code-generator", ["pydantic"], "datamodel_code_generator.py"),
]


def main(arguments):
    if arguments == ["--missing"]:
        for it in GENERATORS:
            if lacking := it.lacks():
                print(f"{it.name}: {', '.join(lacking)}")
        return
    # Without a program of its own, the client of another model is compiled alone.
    Generator.program = arguments[0] != "--make"
    name, folder, place = arguments[-3:]
    folder = pathlib.Path(folder).resolve()
    generator = next(it for it in GENERATORS if it.name == name)
    if not Generator.program:
        return generator.make(pathlib.Path(place).resolve(), folder)
    document = folder / "openapi.json"
    document.write_bytes(urllib.request.urlopen(place + "/openapi.json").read())
    generator.make(document, folder)
    generator.use(folder, place)


if __name__ == "__main__":
    main(sys.argv[1:])
