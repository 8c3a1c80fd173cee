"""The layout of the graph of a model: computed in the browser from graphs of 300 entities."""

import random
import unittest

from page import FILES, PageCase

# The module with `layOut` and `nearest`, below the address of the service.
LAYOUT = "source/views/model/layout/layout.js"
COUNT = 300
ASPECT = 1.5

LAY_OUT = """async ({module, nodes, edges, aspect}) => {
  const {layOut} = await import(module)
  return layOut(nodes, edges, aspect)
}"""

# The boxes that the arrow keys do not lead to, from the first one.
UNREACHED = """async ({module, boxes}) => {
  const {nearest} = await import(module)
  const reached = new Set([boxes[0]])
  for (const box of reached) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
      const next = nearest(boxes, box, key)
      if (next) reached.add(next)
    }
  }
  return boxes.flatMap((box, index) => reached.has(box) ? [] : [index])
}"""


def boxes(chance):
    """Boxes as large as those of entities with 0 to 30 properties."""
    return [{"width": chance.randint(128, 248), "height": 31 + 20 * chance.randint(0, 30),
             "span": 30} for _ in range(COUNT)]


def edge(start, end, weight, **others):
    return {"from": start, "to": end, "fromPort": None, "toPort": None, "weight": weight, **others}


def usual(chance):
    """Trees of parents, a hub, relationships of all kinds, loops, cycles, and boxes alone."""
    nodes = boxes(chance)
    edges = [edge(child // 3 * 3 - 3, child, 2, bundle=child // 3 * 3 - 3)
             for child in range(3, 90) if child % 4]
    edges += [edge(0, chance.randrange(1, 250), 1) for _ in range(40)]
    for _ in range(260):
        start, end = chance.randrange(250), chance.randrange(250)
        ports = {"fromPort": chance.uniform(0, nodes[start]["height"]),
                 "toPort": chance.uniform(0, nodes[end]["height"])}
        edges.append(edge(start, end, chance.choice([0, 1])) | ports)
    return nodes, edges + [edge(each, each, 0) for each in range(10)]


def alone(chance):
    return boxes(chance), []


def pairs(chance):
    """150 parts of two boxes, with two lines each."""
    return boxes(chance), [edge(first, first + 1, weight) for first in range(0, COUNT, 2)
                           for weight in (0, 1)]


def star(chance):
    """All boxes around one."""
    return boxes(chance), [edge(0, other, 1) for other in range(1, COUNT)]


def ring(chance):
    """A cycle of all boxes."""
    return boxes(chance), [edge(each, (each + 1) % COUNT, 1) for each in range(COUNT)]


def tree(chance):
    """A tree of parents, each with two subentities."""
    return boxes(chance), [edge((each - 1) // 2, each, 2, bundle=(each - 1) // 2)
                           for each in range(1, COUNT)]


GRAPHS = [usual, alone, pairs, star, ring, tree]


class LayoutTests(PageCase):
    # The layouts of the graphs, each of which is computed once.
    layouts = {}

    def setUp(self):
        super().setUp()
        # The page has its modules in one script; the layout is called here without the page.
        self.page.route("**/source/**", lambda route: route.fulfill(
            path=FILES / route.request.url.split("/source/")[1]))
        self.open("model")

    def lay_out(self, nodes, edges):
        return self.page.evaluate(LAY_OUT, {
            "module": self.service.url + LAYOUT, "nodes": nodes, "edges": edges, "aspect": ASPECT})

    def each(self, check):
        """Checks the layout of each graph."""
        for graph in GRAPHS:
            with self.subTest(graph.__name__):
                nodes, edges = graph(random.Random(26))
                if graph not in self.layouts:
                    self.layouts[graph] = self.lay_out(nodes, edges)
                check(nodes, edges, self.layouts[graph])

    def test_no_two_boxes_overlap(self):
        def check(nodes, _, layout):
            placed = [(it["x"], it["y"], it["x"] + node["width"], it["y"] + node["height"])
                      for it, node in zip(layout["places"], nodes, strict=True)]
            overlapping = [(first, second) for first in range(COUNT) for second in range(first)
                           if overlap(placed[first], placed[second])]
            self.assertEqual(overlapping, [])
        self.each(check)

    def test_all_is_within_the_size(self):
        def check(nodes, _, layout):
            corners = [(it["x"] + width, it["y"] + height)
                       for it, node in zip(layout["places"], nodes, strict=True)
                       for width, height in [(0, 0), (node["width"], node["height"])]]
            points = corners + [point for line in layout["lines"] for point in line]
            for axis, size in enumerate([layout["width"], layout["height"]]):
                self.assertGreaterEqual(min(it[axis] for it in points), 0)
                self.assertLessEqual(max(it[axis] for it in points), size)
        self.each(check)

    def test_the_same_graph_has_the_same_layout(self):
        self.each(lambda nodes, edges, layout:
                  self.assertEqual(self.lay_out(nodes, edges), layout))

    def test_each_line_begins_and_ends_at_its_boxes(self):
        def check(nodes, edges, layout):
            for line, ends in zip(layout["lines"], edges, strict=True):
                for point, node, port in (
                        (line[0], ends["from"], ends["fromPort"]),
                        (line[-1], ends["to"], ends["toPort"])):
                    self.at_box(point, layout["places"][node], nodes[node], port)
        self.each(check)

    def at_box(self, point, place, node, port):
        """Checks that a point is at a side of a box, and at its port if one is given."""
        sides = (place["x"], place["x"] + node["width"])
        self.assertAlmostEqual(min(abs(point[0] - side) for side in sides), 0)
        self.assertGreaterEqual(point[1], place["y"])
        self.assertLessEqual(point[1], place["y"] + node["height"])
        if port is not None:
            self.assertAlmostEqual(point[1], place["y"] + port)

    def test_a_parent_is_to_the_left_of_its_subentities(self):
        nodes, edges = tree(random.Random(26))
        places = self.lay_out(nodes, edges)["places"]
        wrong = [(it["from"], it["to"]) for it in edges if places[it["from"]]["x"]
                 + nodes[it["from"]]["width"] >= places[it["to"]]["x"]]
        self.assertEqual(wrong, [])

    def test_the_arrow_keys_lead_to_every_box(self):
        def check(nodes, _, layout):
            placed = [node | place for node, place in zip(nodes, layout["places"], strict=True)]
            unreached = self.page.evaluate(
                UNREACHED, {"module": self.service.url + LAYOUT, "boxes": placed})
            self.assertEqual(unreached, [])
        self.each(check)


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


if __name__ == "__main__":
    unittest.main()
