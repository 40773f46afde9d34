"""Renders conversations with transformers itself: one JSON object a line in,
one out. Or evaluates small templates with the same engine."""

import datetime
import json
import sys

from transformers.utils import chat_template_utils


def freeze(now):
    class Frozen(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.fromisoformat(now)

    chat_template_utils.datetime = Frozen


def shaped(messages, arguments, content):
    for message in messages:
        for call in message.get("tool_calls") or []:
            if arguments == "mapping":
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        if content == "text_or_null" and not message["content"] and message.get("tool_calls"):
            message["content"] = None
        elif content == "parts":
            message["content"] = [{"type": "text", "text": message["content"]}]
    return messages


def render(case):
    freeze(case["now"])
    if "messages" not in case:
        compiled = chat_template_utils._compile_jinja_template(case["template"])
        return compiled.render(**case["variables"])
    messages = shaped(case["messages"], case["arguments"], case["content"])
    rendered, _ = chat_template_utils.render_jinja_template(
        conversations=[messages],
        tools=case["tools"],
        chat_template=case["template"],
        add_generation_prompt=case["add_generation_prompt"],
        **{**case["tokens"], **case["kwargs"]},
    )
    return rendered[0]


for line in sys.stdin:
    try:
        answer = {"prompt": render(json.loads(line))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
