import type { Fault } from '../../../tools/planted-faults.ts'
import { checkDemands, fewDemands, hasTest } from './specification.ts'
import type { Finding, HouseRule, Tree } from './tree.ts'

const FAILURES = 'docs/failure-modes.md'
/** How many failure modes the page answers, numbered from 1. */
const MODES = 36
/** A mode has an answer, a test unless it is not built, and a negative control or the reason why there is none. */
const PARTS = [
  /^## \d+\. \S.*\n\n[A-Z]/,
  /^(?:- Test: "|Not built: \S)/m,
  /^- (?:Without the guard: "|No control: \S)/m,
]

function failureModes(tree: Tree): Finding[] {
  const modes = tree.read(FAILURES).split(/^## (?=\d)/m)
  const found = modes.slice(1).flatMap((text, index) => {
    const mode = `${FAILURES}  mode ${index + 1}`
    const isWhole = text.startsWith(`${index + 1}. `) && PARTS.every((part) => part.test(`## ${text}`))
    const titles = [...text.matchAll(/^- (?:Test|Without the guard): "(.+)"$/gm)].map(
      ([, title = '']) => title,
    )
    const unknown = titles.filter((title) => !hasTest(tree, title))
    return [
      ...(isWhole ? [] : [`${mode} lacks its number, an answer, a test or a negative control`]),
      ...unknown.map((title) => `${mode} names no test: "${title}"`),
    ]
  })
  return modes.length === MODES + 1 ? found : [...found, `${FAILURES}  has not ${MODES} modes`]
}

const FAULTS = 'test/planted-faults/faults.json'

/** Faults that cannot be planted: their text does not occur exactly once, or they change nothing, or no test is named. */
function plantedFaults(tree: Tree): Finding[] {
  const faults = JSON.parse(tree.read(FAULTS)) as Fault[]
  const fits = ({ file, find, replace, tests }: Fault): boolean =>
    [file, ...tests].every((name) => tree.files.includes(name)) &&
    tree.read(file).split(find).length === 2 &&
    find !== replace &&
    tests.length > 0
  const isFirst = ({ id }: Fault, index: number): boolean =>
    faults.findIndex((one) => one.id === id) === index
  return faults
    .filter((fault, index) => !fits(fault) || !isFirst(fault, index))
    .map(({ id }) => `${FAULTS}  ${id} does not fit its file or tests, or is there twice`)
}

const ASVS = 'docs/asvs.md'
/** Requirements of ASVS 5.0.0 by section, of level 1 and of level 2, which are numbered in this order. */
const REQUIREMENTS =
  '1.1:0/2 1.2:5/4 1.3:2/9 1.4:0/3 1.5:1/1 2.1:1/2 2.2:2/1 2.3:1/3 2.4:0/1 3.2:2/0 3.3:1/3 3.4:2/4 3.5:3/2 3.7:0/2 ' +
  '4.1:1/2 4.2:0/1 4.3:0/2 4.4:1/3 5.1:0/1 5.2:2/1 5.3:2/0 5.4:0/3 6.1:1/2 6.2:8/4 6.3:2/2 6.4:2/2 6.5:0/5 6.6:0/3 ' +
  '6.8:0/4 7.1:0/3 7.2:4/0 7.3:0/2 7.4:2/3 7.5:0/2 7.6:0/2 8.1:1/1 8.2:2/1 8.3:1/0 8.4:0/1 9.1:3/0 9.2:1/3 10.1:0/2 ' +
  '10.2:0/2 10.3:0/4 10.4:5/6 10.5:0/5 10.6:0/2 10.7:0/3 11.1:0/2 11.2:0/3 11.3:2/1 11.4:1/3 11.5:0/1 11.6:0/1 ' +
  '12.1:1/2 12.2:2/0 12.3:0/4 13.1:0/1 13.2:0/5 13.3:0/2 13.4:1/4 14.1:0/2 14.2:1/3 14.3:1/2 15.1:1/2 15.2:1/2 ' +
  '15.3:1/6 16.1:0/1 16.2:0/5 16.3:0/4 16.4:0/3 16.5:0/3 17.1:0/1 17.2:0/4 17.3:0/2'

const ASVS_ROW =
  /^\| (\d+\.\d+\.\d+) +\| ([12]) +\| \S[^|]*\| (?:met|not met|not applicable) *\| (\S[^|]*)\|$/gm

function securityRequirements(tree: Tree): Finding[] {
  const text = tree.read(ASVS)
  const rows = [...text.matchAll(ASVS_ROW)]
  const listed = rows.map(([, number, level]) => `${number} of level ${level}`)
  const expected = REQUIREMENTS.split(' ').flatMap((section) => {
    const [name = '', first = 0, second = 0] = section.split(/[:/]/)
    return Array.from(
      { length: Number(first) + Number(second) },
      (_, index) => `${name}.${index + 1} of level ${index < Number(first) ? 1 : 2}`,
    )
  })
  const missing = expected.filter((one) => !listed.includes(one))
  const wrong = listed.filter((one, index) => !expected.includes(one) || listed.indexOf(one) !== index)
  const named = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name)
  const isFile = (name: string): boolean => tree.files.some((file) => `/${file}`.endsWith(`/${name}`))
  return [
    ...(missing.length === 0
      ? []
      : [`${ASVS}  lacks ${missing.length} requirements, ${missing[0]} the first`]),
    ...wrong.map((one) => `${ASVS}  ${one} is no requirement, or there twice`),
    ...named(/`([\w@./-]+\.(?:tsx?|mjs|md|json|cfg|service))`/g)
      .filter((name) => !isFile(name))
      .map((name) => `${ASVS}  names no file: ${name}`),
    ...rows
      .flatMap(([, , , where = '']) => [...where.matchAll(/"([^"]{15,})"/g)])
      .filter(([, title = '']) => !hasTest(tree, title))
      .map(([, title]) => `${ASVS}  names no test: "${title}"`),
  ]
}

/** Rules about what tests show: demands, failure modes, planted faults. */
export const testRules = {
  demands: {
    about: 'every demand of the specification has a test that carries its number',
    check: (tree) => [...checkDemands(tree).findings, ...fewDemands(tree)],
  },
  failureModes: {
    about: 'every failure mode has an answer, tests that exist and a negative control',
    check: failureModes,
  },
  securityRequirements: {
    about: 'docs/asvs.md has every requirement of levels 1 and 2 once, and names files and tests that exist',
    check: securityRequirements,
  },
  plantedFaults: {
    about: 'every planted fault fits the source as it is, and names tests that exist',
    check: plantedFaults,
  },
} satisfies Record<string, HouseRule>
