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
  plantedFaults: {
    about: 'every planted fault fits the source as it is, and names tests that exist',
    check: plantedFaults,
  },
} satisfies Record<string, HouseRule>
