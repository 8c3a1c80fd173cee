#!/usr/bin/env python3
"""Sends predicates that are nested very deeply or very long: python planning.py STELE [COUNT] [WORD]

Each kind is sent to each place that takes a predicate or an expression: parameters of a query, roles, models,
mapping models. It must be answered or refused in time in proportion to its length: the times of COUNT parts
and of half as many are compared. Then four clients repeat what took longest, and gets are measured beside
them. WORD limits the run to cases whose name contains it. The exit status is 1 if a bar is missed.
"""

import json
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import measure

# Times below this say nothing of how they grow.
LEAST_SECONDS = 0.05
MOST_RATIO = 2.3
MOST_SECONDS = 30
MOST_BESIDE = 3.0


def nested(open, core, close="", end=""):
    return lambda count: open * count + core + close * count + end


def wide(part, between=", ", open="", close=""):
    return lambda count: open + between.join([part] * count) + close


def numbered(part, between=", ", open="", close=""):
    """Parts that differ: `{}` is the number of each."""
    return lambda count: open + between.join(part.format(it) for it in range(count)) + close


# Conditions, by the number of their parts.
CONDITIONS = {
    "NOT": nested("NOT ", "number == 1"),
    "!": nested("!", "number == 1"),
    "NOT (": nested("NOT (", "number == 1", ")"),
    "parentheses": nested("(", "number == 1", ")"),
    "parentheses, never closed": nested("(", ""),
    "parentheses around a value": nested("(", "number", ")", " == 1"),
    "AND on the left": nested("(", "number == 1", " AND number == 1)"),
    "OR on the right": nested("(number == 1 OR ", "number == 1", ")"),
    "AND OR by turns": nested("number == 1 AND (number == 2 OR ", "number == 1", ")"),
    "TERNARY, condition": nested("TERNARY(", "number == 1", ", 1, 2) == 1"),
    "TERNARY, then": nested("TERNARY(number == 1, ", "number", ", 2)", " == 1"),
    "TERNARY, else": nested("TERNARY(number == 1, 2, ", "number", ")", " == 1"),
    "SUBQUERY, condition": nested("SUBQUERY(friends, $x, ", "number == 1", ").@count > 0"),
    "SUBQUERY, collection": nested("SUBQUERY(", "friends", ", $x, $x.number == 1)", ".@count > 0"),
    "SUBQUERY, own variables": lambda count: "".join(
        f"SUBQUERY(friends, $x{it}, $x{it}.number == 1 AND " for it in range(count))
        + "number == 1" + ").@count > 0" * count,
    "ANY": nested("ANY SUBQUERY(friends, $x, ", "number == 1", ").number == 1"),
    "ALL": nested("ALL {1, 2} == TERNARY(", "number == 1", ", 1, 2)"),
    "NONE": nested("NONE SUBQUERY(friends, $x, ", "number == 1", ").friends.number == 1"),
    "ANY ANY": nested("ANY ", "friends.number == 1"),
    "functions": nested("abs(", "number", ")", " == 1"),
    "functions of two": nested("modulus(number, ", "number", ")", " == 1"),
    "uppercase": nested("uppercase(", "name", ")", " == 'A'"),
    "FUNCTION": nested("FUNCTION(", "number", ", 'abs:')", " == 1"),
    "CAST": nested("CAST(", "number", ", 'NSDecimalNumber')", " == 1"),
    "arithmetic": nested("(", "number", " + 1)", " == 1"),
    "arithmetic on the right": nested("1 - (", "number", ")", " == 1"),
    "arithmetic, a chain": wide("number", " + ", close=" == 1"),
    "powers, a chain": wide("number", " ** ", close=" == 1"),
    "minus": nested("- ", "number", "", " == 1"),
    "minus, no spaces": nested("-", "number", "", " == 1"),
    "tilde": nested("~", "number", "", " == 1"),
    "lists": nested("{", "number", "}", " == 1"),
    "lists, never closed": nested("count({", ""),
    "indexes within": nested("friends[", "1", "]", ".number == 1"),
    "indexes after": nested("", "{1}", "[0]", " == 1"),
    "indexes of lists": nested("{1, 2}[", "1", "]", " == 1"),
    "sets": nested("count({1} UNION ", "{2}", ")", " == 1"),
    "sets, a chain": wide("{1}", " UNION ", "count(", ") == 1"),
    "BETWEEN": nested("number BETWEEN {1, TERNARY(", "number == 1", ", 1, 2)}"),
    "IN": nested("number IN {1, TERNARY(", "number == 1", ", 1, 2)}"),
    "comparisons in comparisons": nested("(", "number == 1", ") == 1"),
    "comparisons, a chain": wide("number", " == "),
    "assignments": nested("$v := ", "number", "", " == 1"),
    "a key path": wide("friends", ".", close=".number == 1"),
    "a path of a variable": wide("friends", ".", "ANY $x.", ".number == 1"),
    "collection operators": wide("@count", ".", "friends.", " == 1"),
    "# keys": nested("#", "number", "", " == 1"),
    "# keys, a path": wide("#number", ".", close=" == 1"),
    "@ names": nested("@", "number", "", " == 1"),
    "brackets of options": nested("name ==", " 'a'", "[c]"),
    "a selector": wide("add", ":", close=":(1, 2) == 1"),
    "a regular expression, groups": lambda count: "name MATCHES '" + "(" * count + "a" + ")" * count + "'",
    "a regular expression, alternatives": wide("a", "|", "name MATCHES '", "'"),
    "a regular expression, repeats": lambda count: "name MATCHES '" + "(a*)*" * count + "'",
    "LIKE": wide("*a", "", "name LIKE '", "'"),
    "LIKE, escapes": wide("\\\\*", "", "name LIKE '", "'"),
    # Wide.
    "AND": wide("number == 1", " AND "),
    "OR": wide("number == 1", " OR "),
    "OR of different": numbered("number == {}", " OR "),
    "OR of texts": numbered("name == 'a{}'", " OR "),
    "IN a list": numbered("{}", ", ", "number IN {", "}"),
    "IN a list of texts": numbered("'{}'", ", ", "name IN {", "}"),
    "IN a list of decimals": numbered("{}.5", ", ", "number IN {", "}"),
    "IN a list of dates": wide("CAST(7, 'NSDate')", ", ", "born IN {", "}"),
    "a list of other types": numbered("'{}'", ", ", "number IN {", "}"),
    "a list of mixed types": wide("1, 'a'", ", ", "number IN {", "}"),
    "a list of keys": wide("number", ", ", "1 IN {", "}"),
    "a list of variables": numbered("$v{}", ", ", "number IN {", "}"),
    "a list against a list": wide("1", ", ", "{1, 2, 3} == {", "}"),
    "ANY of a list": wide("1", ", ", "ANY {", "} == number"),
    "ALL of a list": wide("1", ", ", "ALL {", "} IN {1, 2}"),
    "a list of lists": wide("{1}", ", ", "number IN {", "}"),
    "count of a list": numbered("{}", ", ", "count({", "}) > 1"),
    "sum of a list": numbered("{}", ", ", "sum({", "}) > 1"),
    "a TERNARY of a list": numbered("{}", ", ", "TERNARY(number == 1, {1}, {", "})[0] == 1"),
    "an index of a list": numbered("{}", ", ", "{", "}[0] == 1"),
    "a UNION of a list": numbered("{}", ", ", "count({", "} UNION {number}) > 1"),
    "BETWEEN more than two": numbered("{}", ", ", "number BETWEEN {", "}"),
    "too many arguments": numbered("{}", ", ", "abs(", ") == 1"),
    "too many arguments of FUNCTION": numbered("{}", ", ", "FUNCTION(1, 'abs:', ", ") == 1"),
    "SUBQUERY beside SUBQUERY": wide("SUBQUERY(friends, $x, $x.number == 1).@count > 0", " AND "),
    "a long name": lambda count: "a" * count + " == 1",
    "a long unknown function": lambda count: "a" * count + "(1) == 1",
    "a long variable": lambda count: "number == $" + "a" * count,
    "a long number": lambda count: "number == " + "7" * count,
    "a long fraction": lambda count: "number == 1." + "7" * count,
    "a long exponent": lambda count: "number == 1e" + "7" * count,
    "a long hexadecimal": lambda count: "number == 0x" + "7" * count,
    "a long text": lambda count: "name == '" + "a" * count + "'",
    "a long text of accents": lambda count: "name ==[cd] 'a" + "\u0301" * count + "'",
    "a long text with escapes": lambda count: "name == '" + "\\u0061" * count + "'",
    "a long text for a number": lambda count: "number == '" + "7" * count + "'",
    "a text without an end": lambda count: "name == '" + "a" * count,
    "spaces": lambda count: " " * count + "number == 1",
    "signs": lambda count: "?" * count,
    "quotes": lambda count: "'" * count,
    "flags": lambda count: "name == '" + "\U0001F1E9\U0001F1EA" * count + "' x",
    # Both at once.
    "a list in each level": lambda count: "(number IN {%s} AND " % ", ".join(
        ["1"] * (count // 90)) * 90 + "number == 1" + ")" * 90,
    "a list in each TERNARY": lambda count: "TERNARY(number IN {%s}, 1, " % ", ".join(
        ["1"] * (count // 90)) * 90 + "number" + ")" * 90 + " == 1",
    "a list in each SUBQUERY": lambda count: "SUBQUERY(friends, $x, $x.number IN {%s} AND " % ", ".join(
        ["1"] * (count // 15)) * 15 + "number == 1" + ").@count > 0" * 15,
    "variables in each TERNARY": lambda count: "TERNARY(number IN {%s}, 1, " % ", ".join(
        f"$v{it}" for it in range(min(count // 90, 4_000))) * 90 + "number" + ")" * 90 + " == 1",
    "deep parts side by side": lambda count: " OR ".join(
        ["(" * 90 + "number == 1" + ")" * 90] * (count // 90)),
    "deep TERNARYs side by side": lambda count: " OR ".join(
        ["TERNARY(" * 15 + "number == 1" + ", 1, 2) == 1" * 15] * (count // 15)),
    "deep sums in a list": lambda count: "count({%s}) > 1" % ", ".join(
        ["(" * 50 + "number" + " + 1)" * 50] * (count // 50)),
    "deep TERNARYs in a list": lambda count: "count({%s}) > 1" % ", ".join(
        ["TERNARY(number == 1, 2, " * 15 + "number" + ")" * 15] * (count // 15)),
    "deep lists in a list": lambda count: "1 IN {%s}" % ", ".join(
        ["{" * 90 + "1" + "}" * 90] * (count // 90)),
    "a deep error at the end of a wide one": lambda count:
        wide("number == 1", " OR ")(min(count, 3_900)) + " OR " + "(" * count,
    "a wrong key at the end of a list": lambda count:
        wide("1", ", ", "number IN {")(count) + ", nmber}",
    "a wrong key beside many sums": lambda count: "count({%s, %s + nmber}) > 1" % (
        ", ".join(["number + 1"] * min(count, 3_900)), " + ".join(["number"] * 200)),
}


def expression(condition):
    """A value that contains the condition, for the places that take values."""
    return f"TERNARY({condition}, 1, 2)"


LISTS = {
    "columns": wide("number", ","),
    "different columns": numbered("c{}:number", ","),
    "columns of one name": wide("a:number", ","),
    "long key paths": wide("friend.friend.friend.name", ","),
    "commas": nested(",", ""),
    "a sum": wide("number", "+"),
    "functions": nested("abs(", "number", ")"),
    "parentheses": nested("(", "number", ")"),
    "minus": nested("-", "number"),
    "options": nested("", "name", "[c]"),
    "brackets": nested("[", "", "]"),
    "colons": nested("a:", "number"),
    "aggregates": nested("sum(", "number", ")"),
    "distinct": nested("count(distinct ", "number", ")"),
    "a key path": wide("friends", "."),
    "spaces": lambda count: "a" + " " * count + "b",
    "words": lambda count: "a as " * count,
    "a list": numbered("{}", ", ", "count({", "})"),
}


def uses(count, alias, use, between):
    """An alias of many parts, and as many uses of it."""
    return {"select": f"big:{alias}", "having": between.join([use] * min(count, 3_900))}


QUERIES = {
    "where, having and a wide select": lambda count: {
        "where": CONDITIONS["IN a list"](count), "having": CONDITIONS["IN a list"](count),
        "select": "n:count()," + ",".join(
            "c%d:sum({%s})" % (it, ",".join(["1"] * (count // 200))) for it in range(200))},
    "an alias of a list, used often": lambda count: uses(
        count, "count({%s})" % ",".join(["1"] * count), "big > 1", " OR "),
    "an alias of keys, used often": lambda count: uses(
        count, "sum(number)+max(%s)" % "+".join(["number"] * min(count, 200)), "big > 1", " OR "),
    "an alias of a list of keys, used often": lambda count: uses(
        count, "count()+count({%s})" % ",".join(["max(number)"] * min(count, 3_900)), "big > 1", " OR "),
    "an alias, in each sort key": lambda count: {
        "select": "big:count({%s})" % ",".join(["1"] * count),
        "sort": ",".join(f"big+{it}" for it in range(200))},
    "a wide variable": lambda count: {
        "where": "number IN $list", "var": {"list": list(range(count))}},
    "a wide variable, used often": lambda count: {
        "where": " OR ".join(["number IN $list"] * min(count, 3_900)), "var": {"list": list(range(count))}},
    "a wide variable of texts": lambda count: {
        "where": "name IN $list", "var": {"list": [str(it) for it in range(count)]}},
    "a deep variable": lambda count: {"where": "number IN $list", "var": {"list": "{" * count + "}" * count}},
    "a long variable, used often": lambda count: {
        "where": " OR ".join(["name == $text"] * min(count, 3_900)), "var": {"text": "a" * count}},
    "a long variable for a number, used often": lambda count: {
        "where": " OR ".join(["number == $text"] * min(count, 3_900)), "var": {"text": "7" * count}},
    "a long variable, CAST often": lambda count: {
        "where": " OR ".join(["CAST($text, 'NSDecimalNumber') > number"] * min(count, 3_900)),
        "var": {"text": "7" * count}},
    "include": lambda count: {"include": ".".join(["friend"] * count)},
    "a wide include": lambda count: {"include": ",".join(["friend"] * count)},
    "a cursor": lambda count: {"after": "A" * count},
}


def model(**others):
    person = {"name": "Person", "attributes": [
        {"name": "name", "type": "String"}, {"name": "number", "type": "Integer 64"},
        {"name": "born", "type": "Date"}],
        "relationships": [
            {"name": "friends", "destination": "Person", "inverse": "friendOf", "toMany": True},
            {"name": "friendOf", "destination": "Person", "inverse": "friends", "toMany": True},
            {"name": "friend", "destination": "Person", "inverse": "friendTo"},
            {"name": "friendTo", "destination": "Person", "inverse": "friend", "toMany": True}]}
    for key in ("attributes", "fetchedProperties", "indexes", "uniquenessConstraints"):
        person[key] = person.get(key, []) + others.pop(key, [])
    return {"name": "People", "entities": [person], **others}


# What a program reads at its start: the files, by their name.
FILES = {
    "a role": lambda text: {"People.json": model(), "rights.json": {
        "roles": {"member": {"Person": {"read": text}}}, "tokens": [], "anonymous": "member"}},
    "a template": lambda text: {"People.json": model(fetchRequests=[
        {"name": "some", "entity": "Person", "predicate": text}])},
    "a fetched property": lambda text: {"People.json": model(fetchedProperties=[
        {"name": "some", "fetchRequest": {"entity": "Person", "predicate": text}}])},
    "a derived attribute": lambda text: {"People.json": model(attributes=[
        {"name": "some", "type": "Integer 64", "derivation": text}])},
    "an index's predicate": lambda text: {"People.json": model(indexes=[
        {"name": "some", "elements": ["number"], "predicate": text}])},
    "an index's expression": lambda text: {"People.json": model(indexes=[
        {"name": "some", "elements": [{"expression": text, "expressionType": "Integer 64"}]}])},
    "a regular expression of an attribute": lambda text: {"People.json": model(attributes=[
        {"name": "some", "type": "String", "regularExpression": text}])},
    "a uniqueness constraint": lambda text: {"People.json": model(
        uniquenessConstraints=[text.split(" == ")[:1] * len(text.split(" == "))])},
    "a mapping model's filter": lambda text: mapping(filter=text),
    "a mapping model's value": lambda text: mapping(attributes={"name": text}),
    "a mapping model's relationship": lambda text: mapping(
        relationships={"friends": "$source." + text}),
}


def mapping(**fields):
    new = model(attributes=[{"name": "extra", "type": "String"}])
    return {"People/People.json": model(), "People/People 2.json": new,
            "People.mapping.json": {
                "from": "People", "to": "People 2",
                "mappings": [{"source": "Person", "destination": "Person", **fields}]}}


class Cases:
    """What is measured, and the longest times: of the processor, which other programs do not prolong."""

    def __init__(self, word):
        self.word = word
        self.failed = []
        self.times = []

    def run(self, name, count, ask, clock):
        """Asks with so many parts and with half as many: `ask` gives a status and a text."""
        if not re.search(self.word, name):
            return
        half, whole = self.least(ask, clock, count // 2, 2), self.least(ask, clock, count, 2)
        # A refusal may be at a limit that half as many parts do not reach.
        grows = whole[1] == half[1] and whole[0] > LEAST_SECONDS
        if grows and whole[0] > MOST_RATIO * half[0]:
            half, whole = self.least(ask, clock, count // 2, 4), self.least(ask, clock, count, 4)
        ratio = whole[0] / half[0]
        bad = whole[0] > MOST_SECONDS or grows and ratio > MOST_RATIO or whole[1] in (0, 500)
        self.times.append((whole[0], name))
        if bad or whole[0] > 0.5:
            print(f"{name}: {half[1]} {1000 * half[0]:.0f} ms, {whole[1]} {1000 * whole[0]:.0f} ms, "
                  f"ratio {ratio:.2f}{' BAD' if bad else ''} {whole[2][:200]!r}", flush=True)
        if bad:
            self.failed.append(name)

    @staticmethod
    def least(ask, clock, count, times):
        send = ask(count)
        results = []
        for _ in range(times):
            start = clock()
            status, text = send()
            results.append((clock() - start, status, text))
            if results[-1][0] > 2:
                break
        return min(results)


def processor_seconds(process):
    """Of all threads of a process."""
    total = 0
    for it in Path(f"/proc/{process}/task").iterdir():
        try:
            total += int((it / "schedstat").read_text().split()[0])
        except OSError:
            pass
    return total / 1e9


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def fitting(text):
    """As many parts as a predicate may be long, so that more is looked at than its length."""
    def made(count):
        share = min(1, (1 << 20) / len(text(count).encode()) * 0.98)
        return text(int(count * share))
    return made


def requests(cases, service, port, count):
    """Everything that is sent to a service; gives the bodies by their names."""
    bodies = {}
    connection = measure.connect(port)

    def case(name, target, make, size=count, method="POST", accept="application/json"):
        def ask(parts):
            body = json.dumps(make(parts)) if make else None
            address = target(parts) if callable(target) else target

            def send():
                nonlocal connection
                try:
                    connection.request(
                        method, address, body, {"Content-Type": "application/json", "Accept": accept})
                    answer = connection.getresponse()
                    if answer.headers["Content-Type"].startswith("text/event-stream"):
                        text = answer.readline()
                        connection.close()
                    else:
                        text = answer.read()
                    return answer.status, text.decode()
                except Exception as error:
                    connection = measure.connect(port)
                    return 0, repr(error)
            return send
        cases.run(name, size, ask, lambda: processor_seconds(service.pid))
        if make:
            bodies[name] = (target, make)

    status, body = measure.ask(connection, "POST", "/contexts", {})
    assert status == 201, body
    context = json.loads(body)["context"]
    measure.ask(connection, "POST", f"/contexts/{context}/Person", {"name": "unsaved", "number": 1})
    query = "/Person/query"
    for name, text in CONDITIONS.items():
        case(f"where, however long: {name}", query, lambda n, text=text: {"where": text(n), "limit": 1})
        text = fitting(text)
        case(f"where: {name}", query, lambda n, text=text: {"where": text(n), "limit": 1})
        case(f"having: {name}", query, lambda n, text=text: {
            "select": "name,n:count()", "groupBy": "name", "having": text(n), "limit": 1})
        case(f"select: {name}", query, lambda n, text=text: {"select": "a:" + expression(text(n)), "limit": 1})
        case(f"sort: {name}", query, lambda n, text=text: {"sort": expression(text(n)), "limit": 1})
        case(f"groupBy: {name}", query, lambda n, text=text: {
            "select": "n:count()", "groupBy": expression(text(n)), "limit": 1})
        case(f"context: {name}", f"/contexts/{context}{query}", lambda n, text=text: {
            "where": text(n), "limit": 1})
        # As long as an address may be; the feed, and live queries.
        for target, accept in (
                ("/changes?entity=Person&where=", "application/json"), ("/changes?where=", "text/event-stream"),
                ("/Person?where=", "text/event-stream"), ("/Person/1/friends?where=", "application/json"),
                ("/fetch/some?where=", "application/json")):
            def address(n, text=text, target=target):
                return target + quote(text(n))[:20_000]
            case(f"{target} {accept}: {name}", address, None, 2_000, "GET", accept)
    for name, text in LISTS.items():
        for parameter in ("select", "sort", "groupBy"):
            case(f"{parameter}: {name}", "/Person/query", lambda n, text=text, parameter=parameter: {
                "select": "n:count()", parameter: text(n), "limit": 1})
            case(f"{parameter}, an array: {name}", "/Person/query", lambda n, text=text, parameter=parameter: {
                "select": "n:count()", parameter: text(n).split(","), "limit": 1})
    for name, query in QUERIES.items():
        case(f"query: {name}", "/Person/query", query)
    return bodies


def starts(cases, program, count, folder):
    """Everything that a program reads at its start."""
    number = 0
    for place, files in FILES.items():
        for name, text in CONDITIONS.items():
            def ask(parts, text=fitting(text)):
                nonlocal number
                number += 1
                root = Path(folder) / str(number)
                written = text(parts)
                if "value" in place or "expression" in place or "derived" in place:
                    written = expression(written)
                for file, content in files(written).items():
                    (root / file).parent.mkdir(parents=True, exist_ok=True)
                    (root / file).write_text(json.dumps(content))
                command = [program, "serve", str(root / "People.json"), "--check"]
                if (root / "rights.json").exists():
                    command += ["--rights", str(root / "rights.json")]
                if (root / "People").exists():
                    command = [program, "migrate", str(root / "People"), "--store",
                               str(Path(folder) / "old.sqlite"), "--plan"]

                def send():
                    try:
                        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
                    except subprocess.TimeoutExpired as error:
                        return 0, repr(error)[:200]
                    text = done.stdout + done.stderr
                    return (0 if done.returncode < 0 or done.returncode > 100 else 200 + done.returncode), text
                return send
            cases.run(f"{place}: {name}", count, ask, children_seconds)


def attack(port, target, body):
    connection = measure.connect(port)
    while True:
        try:
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        except Exception:
            time.sleep(0.01)
            connection = measure.connect(port)


def beside(cases, port, bodies, count):
    """Four clients repeat each of what took longest. They work and rest by turns, because other programs of
    the machine prolong gets as well."""
    longest = [name for _, name in sorted(cases.times, reverse=True) if name in bodies][:8]
    for name in longest:
        target, make = bodies[name]
        body = json.dumps(make(count))
        attackers = [multiprocessing.Process(target=attack, args=(port, target, body), daemon=True)
                     for _ in range(4)]
        for it in attackers:
            it.start()
        times = {True: [], False: []}
        for _ in range(4):
            for attacked in times:
                for it in attackers:
                    os.kill(it.pid, signal.SIGCONT if attacked else signal.SIGSTOP)
                time.sleep(1)
                times[attacked].append(measure.measured(measure.get, port, 2)[0])
        for it in attackers:
            it.kill()
            it.join()
        found, alone = (sorted(times[attacked])[1] for attacked in times)
        print(f"beside four of {name}: {found:.2f} ms, alone {alone:.2f} ({found / alone:.2f})", flush=True)
        if found > MOST_BESIDE * alone:
            cases.failed.append(f"beside {name}")


def main(program, count=100_000, word=""):
    multiprocessing.set_start_method("fork")
    count = int(count)
    cases = Cases(word)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "People.json"
        path.write_text(json.dumps(model(fetchRequests=[
            {"name": "some", "entity": "Person", "predicate": "number > 1"}])))
        service = subprocess.Popen(
            [program, "serve", str(path), "--store", f"{folder}/people.sqlite", "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = next(int(it[1]) for it in (
                re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in service.stdout) if it)
            measure.fill(port)
            bodies = requests(cases, service, port, count)
            assert service.poll() is None, f"the service has ended: {service.returncode}"
            beside(cases, port, bodies, count)
        finally:
            start = time.monotonic()
            service.send_signal(signal.SIGTERM)
            service.wait(60)
            print(f"ended {time.monotonic() - start:.1f} s after SIGTERM: {service.returncode}")
        subprocess.run(
            [program, "import", str(path), "--store", f"{folder}/old.sqlite", "/dev/null"],
            capture_output=True)
        starts(cases, program, count, folder)
    print(f"{len(cases.times)} cases, {len(cases.failed)} failed")
    for name in cases.failed:
        print(f"failed: {name}")
    sys.exit(1 if cases.failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
