"""What an incident names: its component, versions, error codes. By tables that curators extend."""
