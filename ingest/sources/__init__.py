"""Where documents come from: files and folders of this machine, and folders behind a Hadoop URL."""
