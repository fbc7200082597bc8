"""The SDK is loaded by who needs it, and by nothing else."""

import subprocess
import sys


def test_neither_the_service_nor_the_command_line_loads_the_sdk() -> None:
    program = (
        "import sys, api.cli, api.app, api.settings\n"
        "api.app.create_app(api.settings.ServiceSettings())\n"
        "api.cli.program()\n"
        "print(sorted({name for name in sys.modules if name.partition('.')[0] in {'mcp', 'mcp_types', 'jsonschema', 'sse_starlette'}}))\n"
        "import api.mcp.server\n"
        "print('mcp' in sys.modules)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["[]", "True"]
