hotdrift target
