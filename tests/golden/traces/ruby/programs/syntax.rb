# A file that does not parse, required by one that does.
require_relative "lib/broken"
