"""Tools that other systems offer: as one list with one hash, with arguments that are checked before they are sent."""
