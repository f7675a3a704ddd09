"""The built-in demo web: a harbour town's pages under reserved `*.example` names, served as if from the network.

`catalogue` says what stands where, `site` answers requests, `specimens` names the pages that tests and demos
ask for, `tour` is the presenter's walk through it. Nothing is read from disk until a page is asked for.
"""
