"""`kb watch`: logs that are followed, their traces as they appear, and what is known of them, once each."""
