import type { Fault } from '../../../tools/planted-faults.ts'
import { callsTest, checkDemands, fewDemands, hasTest } from './specification.ts'
import { type Finding, type HouseRule, type Tree, findIn } from './tree.ts'

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

/** Begins what a migration makes. */
const MADE = /^CREATE (?:OR REPLACE |UNIQUE )?(?:TABLE|INDEX|TRIGGER|FUNCTION|VIEW) (\w+)/gm

/** Whether a later migration makes anew what a fault in a migration changes, so that the fault changes nothing. */
function isReplaced(tree: Tree, { file, find }: Fault): boolean {
  if (!file.startsWith('db/migrations/')) return false
  const text = tree.read(file)
  const [, name] = [...text.slice(0, text.indexOf(find) + find.length).matchAll(MADE)].at(-1) ?? []
  const makes = (later: string): boolean =>
    [...tree.read(later).matchAll(MADE)].some(([, made]) => made === name)
  return tree.files.some((later) => later.startsWith('db/migrations/') && later > file && makes(later))
}

/** Faults that cannot be planted: their text does not occur exactly once, or they change nothing, or no test is named. */
function plantedFaults(tree: Tree): Finding[] {
  const faults = JSON.parse(tree.read(FAULTS)) as Fault[]
  const fits = (fault: Fault): boolean => {
    const { file, find, replace, tests } = fault
    return (
      [file, ...tests].every((name) => tree.files.includes(name)) &&
      tree.read(file).split(find).length === 2 &&
      find !== replace &&
      !isReplaced(tree, fault) &&
      tests.length > 0
    )
  }
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

const ASVS_COUNTS = /^\| ([12]) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm
/** The numbers of an exception, before its reason: a requirement (`1.2.6`), a section (`4.3`) or a chapter (`17`). */
const ASVS_EXCEPTION = /^- (\d+(?:\.\d+){0,2}(?:, \d+(?:\.\d+){0,2})*)(?:, [^\d:\n][^:\n]*)?: \S/gm
const ASVS_CHAPTER = /^\*\*V(\d+) [^*]+\.\*\*(?: .*)?(?:\n\S.*)*/gm

const requirements = REQUIREMENTS.split(' ').flatMap((section) => {
  const [name = '', first = 0, second = 0] = section.split(/[:/]/)
  return Array.from({ length: Number(first) + Number(second) }, (_, index) => ({
    number: `${name}.${index + 1}`,
    level: index < Number(first) ? '1' : '2',
  }))
})

function securityRequirements(tree: Tree): Finding[] {
  const text = tree.read(ASVS)
  const section = (title: string): string => text.split(`## ${title}\n`)[1]?.split(/^## /m)[0] ?? ''
  const exceptions = (title: string): string[] =>
    [...section(title).matchAll(ASVS_EXCEPTION)].flatMap(([, numbers = '']) => numbers.split(', '))
  const isIn = (number: string, names: readonly string[]): boolean =>
    names.some((name) => `${number}.`.startsWith(`${name}.`))
  const [unmet, foreign] = [exceptions('Not met'), exceptions('Not applicable')]
  const listed = [...unmet, ...foreign]
  const wrong = listed.filter(
    (name, index) =>
      !requirements.some(({ number }) => isIn(number, [name])) ||
      isIn(name, [...listed.slice(0, index), ...listed.slice(index + 1)]),
  )
  const counts = ['1', '2'].map((level) => {
    const all = requirements.filter((one) => one.level === level)
    const [not, none] = [unmet, foreign].map(
      (names) => all.filter(({ number }) => isIn(number, names)).length,
    )
    return [level, all.length - not! - none!, not, none].join(' ')
  })
  const said = [...text.matchAll(ASVS_COUNTS)].map(([, ...cells]) => cells.join(' '))
  const chapters = [...text.matchAll(ASVS_CHAPTER)]
  const withTest = chapters.filter(([words]) => /\.(?:test\.tsx?|e2e\.ts)`|"[^"]{15,}"/.test(words))
  const untold = new Set(
    requirements
      .filter(({ number }) => !isIn(number, listed))
      .map(({ number }) => number.split('.')[0] ?? '')
      .filter((chapter) => !withTest.some(([, name]) => name === chapter)),
  )
  const met = section('What meets the rest').replaceAll(/\s+/g, ' ')
  const isFile = (name: string): boolean => tree.files.some((file) => `/${file}`.endsWith(`/${name}`))
  return [
    ...wrong.map((one) => `${ASVS}  ${one} is no requirement, or there twice`),
    ...counts.filter((one, index) => said[index] !== one).map((one) => `${ASVS}  counts should be ${one}`),
    ...[...untold].map((chapter) => `${ASVS}  names no test of chapter ${chapter}`),
    ...[...text.matchAll(/`([\w@./-]+\.(?:tsx?|mjs|md|json|cfg|service))`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !isFile(name))
      .map((name) => `${ASVS}  names no file: ${name}`),
    ...met
      .split('"')
      .filter((title, index) => index % 2 === 1 && title.length >= 15)
      .filter((title) => !hasTest(tree, title))
      .map((title) => `${ASVS}  names no test: "${title}"`),
  ]
}

/** Lines of a journey from which a failure must say in which step. */
const LONG_JOURNEY = 80

/** Long browser tests without `annotate('…')`, whose failure would name no step. */
const journeySteps = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => /^test\/e2e\/.*\.e2e\.ts$/.test(file))
    .flatMap((file) =>
      findIn(tree, file, (report) => ({
        CallExpression({ callee, arguments: [title], end }) {
          if (!title || !callsTest(callee)) return
          const text = tree.read(file).slice(title.start, end)
          const lines = text.split('\n').length
          if (lines >= LONG_JOURNEY && !text.includes('annotate('))
            report(title, `a test of ${lines} lines names none of its steps`)
        },
      })),
    )

/** Rules about what tests show: demands, failure modes, planted faults, steps of journeys. */
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
    about:
      'docs/asvs.md accounts for every requirement of levels 1 and 2, and names files and tests that exist',
    check: securityRequirements,
  },
  plantedFaults: {
    about:
      'every planted fault fits the source as it is, which no later migration replaces, and names tests that exist',
    check: plantedFaults,
  },
  journeySteps: {
    about: `a browser test of ${LONG_JOURNEY} lines or more names its steps by annotate`,
    check: journeySteps,
  },
} satisfies Record<string, HouseRule>
