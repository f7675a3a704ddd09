"""A chat whose agent calls the two tools: each call is a card in the conversation.

    python -m streamlit run examples/chat.py

The agent stands in for a model: it fetches what looks like an address and searches for everything else.
"""

import asyncio

import streamlit as st

from components.web_card import use_stylesheet, web_card
from webcards.contract import ToolResult
from webcards.tools.opening import open_registry

Turn = tuple[str, dict[str, str], ToolResult]


async def answer(words: str) -> Turn:
    """The call that the agent makes of what it was asked, and its result."""
    is_address = words.startswith(("http://", "https://"))
    tool, args = ("web_fetch", {"url": words}) if is_address else ("web_search", {"query": words})
    async with open_registry() as registry:
        return tool, args, (await registry.execute(tool, args)).tool_result


st.set_page_config(page_title="A chat with cards")
use_stylesheet()
turns: list[Turn] = st.session_state.setdefault("turns", [])

if asked := st.chat_input("Ask, or give an address"):
    with st.spinner("The agent is at work"):
        turns.append(asyncio.run(answer(asked)))

for number, (tool, args, result) in enumerate(turns):
    st.chat_message("user").text(args.get("url") or args["query"])
    with st.chat_message("assistant"):
        web_card(tool, args, result, key=f"call-{number}")
