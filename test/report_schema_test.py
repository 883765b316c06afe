#!/usr/bin/env python3
"""report_schema_test.py BINARY DATA_FOLDER

Validates real reports of skinpose against docs/report.schema.json, and checks that the schema is
no rubber stamp: reports broken on purpose must fail it. Needs python3-jsonschema (ctest reads exit
code 77 as skipped).
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print('skipped: no python3-jsonschema')
    sys.exit(77)

BINARY, DATA = [os.path.abspath(a) for a in sys.argv[1:3]]
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'docs')


def load(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


SCHEMA = load(os.path.join(DOCS, 'report.schema.json'))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TUBE = os.path.join(DATA, 'tube.gltf')


def refuse_constant(text):
    raise ValueError(text + ' is not JSON')


def mirrored_tube():
    """The tube under a parent that mirrors its joints."""
    tube = load(TUBE)
    joint = tube['skins'][0]['joints'][0]
    tube['nodes'].append({'scale': [-1, 1, 1], 'children': [joint]})
    for scene in tube['scenes']:
        scene['nodes'] = [len(tube['nodes']) - 1 if n == joint else n for n in scene['nodes']]
    return tube


def morphed_tube():
    """The tube with its own positions as a morph target, at weight one half."""
    tube = load(TUBE)
    for primitive in tube['meshes'][0]['primitives']:
        primitive['targets'] = [{'POSITION': primitive['attributes']['POSITION']}]
    tube['meshes'][0]['weights'] = [0.5]
    return tube


def odd_tube():
    """Something for warnings, ignored, and most of the counters of odd files."""
    tube = load(TUBE)
    mesh_node = next(n for n in tube['nodes'] if 'mesh' in n)
    mesh_node['translation'] = [1, 2, 3]
    tube['animations'][0]['channels'].append({'sampler': 0, 'target': {'path': 'translation'}})
    joint = tube['nodes'][tube['skins'][0]['joints'][-1]]
    joint['rotation'] = [0, 0, 0, 2]
    points = dict(tube['meshes'][0]['primitives'][0], mode=0)
    tube['meshes'][0]['primitives'].append(points)
    return tube


class ReportTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def save(self, document, name='rig.gltf'):
        with open(self.path(name), 'w', encoding='utf-8') as f:
            json.dump(document, f)
        return self.path(name)

    def report(self, file, *options):
        """The report of one run, valid JSON in the strict sense."""
        done = subprocess.run([BINARY, 'pose', file, '-o', self.path('m.ply'), '--report', '-',
                               *options], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout.decode('utf-8'), parse_constant=refuse_constant)

    def assert_valid(self, report):
        errors = [f'{"/".join(map(str, e.absolute_path))}: {e.message}'
                  for e in VALIDATOR.iter_errors(report)]
        self.assertEqual(errors, [])
        self.assertEqual(list(report), list(SCHEMA['properties']), 'order of the keys')
        for part in report['parts']:
            self.assertEqual(list(part), list(SCHEMA['$defs']['part']['properties']))

    def valid(self, file, *options):
        report = self.report(file, *options)
        self.assert_valid(report)
        return report


class RealReportsAreValid(ReportTest):
    def test_rest(self):
        self.assertEqual(self.valid(TUBE)['pose'], 'rest')

    def test_clip(self):
        report = self.valid(TUBE, '--clip', 'bend', '--t', '0.5')
        self.assertEqual((report['pose'], report['clip']['name']), ('clip', 'bend'))

    def test_bind(self):
        self.assertEqual(self.valid(TUBE, '--bind')['pose'], 'bind')

    def test_dual_quaternions(self):
        report = self.valid(TUBE, '--clip', 'twist', '--t', '100%', '--method', 'dqs')
        self.assertEqual(report['method'], 'dqs')

    def test_blend_with_a_clip_and_with_rest(self):
        report = self.valid(TUBE, '--clip', 'bend', '--t', '0.5', '--blend', 'twist:0.2:0.25')
        self.assertEqual(report['blend']['mix'], 0.25)
        report = self.valid(TUBE, '--clip', 'bend', '--t', '0.5', '--blend', ':0:0.25',
                            '--blend-mode', 'trs')
        self.assertIsNone(report['blend']['clip'])

    def test_resample(self):
        report = self.valid(TUBE, '--clip', 'bend', '--t', '0.35', '--resample', '1.7')
        self.assertEqual(report['resample']['rate_hz'], 1.7)

    def test_capped_and_all(self):
        capped = self.valid(TUBE, '--clip', 'bend', '--t', '0.5', '--max-influences', '1')
        self.assertGreater(capped['discarded_influences'], 0)
        self.assertGreater(capped['cap_displacement'], 0)
        self.assertEqual(self.valid(TUBE, '--max-influences', 'all')['max_influences'], 'all')

    def test_morphs(self):
        report = self.valid(self.save(morphed_tube()))
        plain = self.valid(TUBE)
        self.assertAlmostEqual(report['area'] / plain['area'], 1.5 ** 2, delta=1)
        self.assertGreater(report['area'], plain['area'])

    def test_mirrored(self):
        report = self.valid(self.save(mirrored_tube()), '--clip', 'bend', '--t', '0.5')
        self.assertEqual(report['reflected_faces'], report['triangles'])
        self.assertFalse(report['winding_fixed'])

    def test_findings(self):
        report = self.valid(self.save(odd_tube()), '--clip', 'bend', '--t', '0.5')
        for counter in ('ignored_channels', 'ignored_node_transforms', 'left_out_primitives',
                        'normalized_rest_rotations'):
            self.assertEqual(report[counter], 1, counter)
        self.assertEqual(report['largest_rest_rotation_length_error'], 1)
        places = [f['place'] for f in report['ignored']]
        self.assertTrue(any(p.startswith('/animations/0/channels/') for p in places), places)
        self.assertIn('/meshes/0/primitives/1', ' '.join(places))

    def test_other_options(self):
        report = self.valid(TUBE, '--place', '1,2,3,2', '--precision', 'double', '--no-renormalize',
                            '--fast-normals', '--normals', 'smooth', '--fix-winding', '--scene',
                            'all', '--clip', 'bend', '--t=-1')
        self.assertTrue(report['time_clamped'])
        self.assertIsNone(report['scene'])

    def test_every_file_of_the_data_folder_that_can_be_posed(self):
        names = sorted(n for n in os.listdir(DATA) if n.endswith(('.gltf', '.glb')))
        posed = 0
        for name in names:
            file = os.path.join(DATA, name)
            trial = subprocess.run([BINARY, 'pose', file, '-o', self.path('m.ply'), '--no-report'],
                                   capture_output=True, timeout=60)
            if trial.returncode != 0:
                continue  # a file made to be refused
            posed += 1
            for method in ('lbs', 'dqs'):
                with self.subTest(file=name, method=method):
                    self.valid(file, '--method', method)
        self.assertGreater(posed, 0)

    def test_totals_are_the_sums_or_largest_of_the_parts(self):
        tube = load(TUBE)
        mesh_node = next(n for n in tube['nodes'] if 'mesh' in n)
        tube['nodes'].append(dict(mesh_node, name='twin'))
        for scene in tube['scenes']:
            scene['nodes'].append(len(tube['nodes']) - 1)
        report = self.valid(self.save(tube), '--clip', 'bend', '--t', '0.5',
                            '--max-influences', '1')
        self.assertEqual(report['primitives'], len(report['parts']))
        self.assertEqual(len(report['parts']) % 2, 0)
        for name, rule in SCHEMA['$defs']['part']['properties'].items():
            if name not in report or rule['type'] not in ('integer', 'number'):
                continue
            values = [p[name] for p in report['parts']]
            total = sum(values) if rule['type'] == 'integer' else max(values)
            self.assertEqual(report[name], total, name)


class BrokenReportsFail(ReportTest):
    def test_each_fault_is_caught(self):
        good = self.valid(TUBE, '--clip', 'bend', '--t', '0.5', '--blend', 'twist:0.2:0.25')

        def fault(change):
            report = copy.deepcopy(good)
            change(report)
            self.assertFalse(VALIDATOR.is_valid(report), change.__name__)

        def surplus_field(r): r['surplus'] = 1
        def surplus_field_in_a_part(r): r['parts'][0]['surplus'] = 1
        def surplus_field_in_the_clip(r): r['clip']['surplus'] = 1
        def surplus_field_in_the_bounds(r): r['bounds']['surplus'] = 1
        def surplus_field_in_a_finding(r): r['warnings'] = [{'place': '', 'fact': 'x', 'line': 1}]
        def negative_count(r): r['vertices'] = -1
        def fraction_as_count(r): r['discarded_influences'] = 0.5
        def null_as_area(r): r['area'] = None
        def null_in_the_bounds(r): r['bounds']['min'][0] = None
        def unknown_method(r): r['method'] = 'magic'
        def flips_under_linear_blend(r): r['antipodal_flips'] = 1
        def rest_with_a_clip(r): r['pose'] = 'rest'
        def clip_without_time(r): r['time_used_s'] = None
        def next_version(r): r['schema_version'] = 2
        def short_hash(r): r['topology_hash'] = 'abc'
        def mix_beyond_one(r): r['blend']['mix'] = 1.5
        def short_placement(r): r['placement'] = [1.0] * 15
        def loss_without_cap(r): r.update(max_influences='all', discarded_influences=1)

        faults = [v for k, v in locals().items() if callable(v) and k not in ('self', 'fault')]
        self.assertEqual(len(faults), 18)
        for change in faults:
            fault(change)

    def test_each_field_is_required_and_typed(self):
        good = self.valid(TUBE, '--clip', 'bend', '--t', '0.5')
        for where in (good, good['parts'][0], good['clip'], good['bounds']):
            for name in list(where):
                held = where.pop(name)
                self.assertFalse(VALIDATOR.is_valid(good), name + ' left out')
                where[name] = {'no': 'such type'}
                self.assertFalse(VALIDATOR.is_valid(good), name + ' of another type')
                where[name] = held
        self.assertTrue(VALIDATOR.is_valid(good))


class TheSchemaItself(unittest.TestCase):
    def objects(self, node):
        if isinstance(node, dict):
            if 'additionalProperties' in node or {'type', 'properties'} <= set(node):
                yield node
            for key, value in node.items():
                if key not in ('if', 'then', 'else', 'allOf'):
                    yield from self.objects(value)
        elif isinstance(node, list):
            for value in node:
                yield from self.objects(value)

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_closes_and_describes_everything(self):
        found = list(self.objects(SCHEMA))
        self.assertGreater(len(found), 5)
        for node in found:
            self.assertIs(node['additionalProperties'], False)
            self.assertEqual(sorted(node['required']), sorted(node['properties']))
            for name, rule in node['properties'].items():
                self.assertTrue(rule.get('description'), name)

    def test_says_unit_and_kind_of_every_field(self):
        for name, rule in SCHEMA['properties'].items():
            self.assertRegex(rule['description'], r'Unit: .+\. Kind: (information|loss)\.$', name)

    def test_the_page_has_the_same_fields_units_and_kinds(self):
        with open(os.path.join(DOCS, 'report.md'), encoding='utf-8') as f:
            page = f.read()
        rows = re.findall(r'^\| `(\w+)` \| (.+?) \| (information|loss) \| ', page, re.M)
        expected = []
        for name, rule in SCHEMA['properties'].items():
            unit, kind = re.search(r'Unit: (.+)\. Kind: (\w+)\.$', rule['description']).groups()
            expected.append((name, unit, kind))
        self.assertEqual(rows, expected)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
