"""What was tried against the product, in tables that others extend: each row fails without the mend that it asks for."""
