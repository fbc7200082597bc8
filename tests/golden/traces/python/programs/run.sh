#!/bin/sh
# Runs the programs in /srv/shop and writes what they print beside them. Needs the interpreters that the calls name,
# in $PYTHONS/<version>/bin, and a virtual environment in $VENV with ipython, rich, loguru, django, celery and pytest.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$here")
PYTHONS=${PYTHONS:-$HOME/.pyenv/versions}
VENV=${VENV:-/srv/venv}
mkdir -p /srv/shop && cp "$here"/*.py "$here"/*.pyx /srv/shop && cd /srv/shop || exit 1

lasting() { sed -E "s#$PYTHONS/[0-9.]+/(bin|lib)#/usr/\1#g; s#~?$PYTHONS/[0-9.]+/#/usr/#g; s#~/.pyenv/versions/[0-9.]+/#/usr/#g; s#$VENV#/srv/venv#g"; }
print() { name=$1; shift; timeout 60 "$@" 2>&1 | lasting >"$out/$name.txt"; }

print notebook "$VENV/bin/python" notebook.py
print boxed "$VENV/bin/python" boxed.py
print segfault "$PYTHONS/3.11.7/bin/python" segfault.py
print late "$PYTHONS/3.12.1/bin/python" late.py
print pytest-long "$VENV/bin/pytest" -q -p no:cacheprovider test_pay.py
print pytest-short "$VENV/bin/pytest" -q -p no:cacheprovider --tb=short test_pay.py
print remote "$PYTHONS/3.11.7/bin/python" remote.py
print executor "$PYTHONS/3.12.1/bin/python" executor.py
print uncaught "$PYTHONS/3.12.1/bin/python" uncaught.py
print gathered "$PYTHONS/3.13.0/bin/python" gathered.py
print spelled-3.8 "$PYTHONS/3.8.18/bin/python" spelled.py
print spelled-3.13 "$PYTHONS/3.13.0/bin/python" spelled.py
print old "$PYTHONS/2.7.18/bin/python" old.py
print logged "$PYTHONS/3.11.7/bin/python" logged.py
print caught "$VENV/bin/python" caught.py
print importing "$PYTHONS/3.12.1/bin/python" importing.py
print page "$VENV/bin/python" page.py
print task env C_FORCE_ROOT=1 timeout 6 "$VENV/bin/python" task.py
print pypy pypy3 spelled.py
print no-encodings env PYTHONHOME=/srv/nowhere "$PYTHONS/3.11.7/bin/python" -c 1
cython3 -3 compiled.pyx && gcc -shared -fPIC $(python3-config --includes 2>/dev/null || echo "-I$PYTHONS/3.11.7/include/python3.11") -o compiled.so compiled.c
print compiled "$PYTHONS/3.11.7/bin/python" -c "from compiled import Ledger, total; total(Ledger(), [42])"
