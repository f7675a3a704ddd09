"""From a URL to the Markdown of its page: address guard, network, decoding, then the page reader."""
