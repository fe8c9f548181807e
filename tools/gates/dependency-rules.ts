import type { IRegularForbiddenRuleType } from 'dependency-cruiser'
import { SLICE, type Slices } from './slices.ts'

export type DependencyRule = IRegularForbiddenRuleType & { name: string }

/** Tests and what only tests use: they may go through any door. */
export const TEST_FILES = '\\.(test|e2e)\\.(tsx?|mjs)$|\\.test-[a-z-]+\\.tsx?$'
/** What a slice declares of its screens and of its approvals for the console. */
const DECLARATIONS = `^src/features/${SLICE}/console/(screens\\.ts|approval-kinds\\.tsx)$`
const MESSAGE_KEYS = '^src/i18n/keys\\.ts$'
const OURS = '^(src|db|emulators|test|tools|art)/'

/** A slice's contract and rules: the files that lie in its folder itself. */
const contractsOf = (slice: string): string => `^src/features/${slice}/[^/]+$`
const any = (names: readonly string[]): string => `(${names.join('|')})`
const escaped = (text: string): string => text.replaceAll('.', '\\.')
const shareOf = (slice: string, file: string): string => `^src/features/${slice}/screens/${escaped(file)}$`
const sharesOf = (slices: Slices): string[] =>
  Object.entries(slices).flatMap(([slice, { shares }]) => shares.map((file) => shareOf(slice, file)))

/** Files at `from` import nothing of ours but `allowed`; packages are another rule's matter. */
const only = (name: string, comment: string, from: string, allowed: string[]): DependencyRule => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: TEST_FILES },
  to: { path: OURS, pathNot: allowed },
})

const never = (
  name: string,
  comment: string,
  from: DependencyRule['from'],
  to: DependencyRule['to'],
): DependencyRule => ({ name, comment, severity: 'error', from, to })

function sliceRules(slices: Slices, slice: string): DependencyRule[] {
  const { contracts, server, screens, shares } = slices[slice]!
  const own = `^src/features/${slice}/`
  return [
    only(
      `${slice}: contract and rules stay pure`,
      'A contract and its rules import the kernel and the contracts that slices.json allows.',
      `${own}(?![^/]+\\.api\\.ts$)[^/]+$`,
      ['^src/shared/', MESSAGE_KEYS, contractsOf(slice), ...contracts.map(contractsOf)],
    ),
    only(
      `${slice}: calls are made of contracts`,
      'The calls of a slice take its contracts, and the way in which browsers and pages call.',
      `${own}[^/]+\\.api\\.ts$`,
      ['^src/client/(api-call|browser)\\.ts$', contractsOf(slice)],
    ),
    only(
      `${slice}: server uses front doors`,
      'A server part meets other slices through server/index.ts and contracts, along slices.json.',
      `${own}server/`,
      [
        '^src/(shared|platform|i18n|draw-protocol)/',
        contractsOf(slice),
        `${own}server/`,
        ...(slice === 'demo' ? ['^db/demo/load-demo\\.ts$'] : []), // the story that only this slice loads
        ...(server.length > 0 ? [`^src/features/${any(server)}/([^/]+|server/index\\.ts)$`] : []),
      ],
    ),
    only(
      `${slice}: screens stay in front`,
      'Screens import any contract, the screens slices.json allows, and never a server part, not even a type.',
      `${own}screens/`,
      [
        '^src/(shared|ui|client|i18n|draw-protocol)/',
        contractsOf(SLICE),
        `${own}screens/`,
        ...sharesOf(slices),
        ...(screens.length > 0 ? [`^src/features/${any(screens)}/screens/`] : []),
      ],
    ),
    only(
      `${slice}: console stands on the kit`,
      'Screens of the console import any contract, the draw protocol, the parts that screens share, and never a server part or a page.',
      `${own}console/`,
      [
        '^src/(shared|ui|client|i18n|draw-protocol|console-kit)/',
        contractsOf(SLICE),
        `^src/features/${SLICE}/console/`,
      ],
    ),
    ...shares.map((file) =>
      only(
        `${slice}: ${file} knows no screen`,
        'What a slice shares lies below all screens, its own too; so sharing makes no circle of slices.',
        shareOf(slice, file),
        ['^src/(shared|client|i18n)/', contractsOf(SLICE), ...sharesOf(slices)],
      ),
    ),
  ]
}

const LAYERS: DependencyRule[] = [
  only(
    'shared stands alone',
    'The kernel imports nothing of ours but the names of messages.',
    '^src/shared/',
    ['^src/shared/', MESSAGE_KEYS],
  ),
  only(
    'the draw protocol stands alone',
    'It runs in Node, in a worker of a browser and in a saved page, where there is nothing else of ours.',
    '^src/draw-protocol/',
    ['^src/draw-protocol/'],
  ),
  only('ui knows no business', 'Primitives take text and data as props.', '^src/ui/', ['^src/(ui|shared)/']),
  only('i18n stands on the kernel', 'Catalogues and formatters know no screen.', '^src/i18n/', [
    '^src/(i18n|shared)/',
  ]),
  only(
    'client knows no slice',
    'The browser kernel imports the kernel and texts; each slice brings its calls and its part of the store.',
    '^src/client/',
    ['^src/(client|shared|i18n)/'],
  ),
  only('platform knows no business', 'Infrastructure is given what a slice wants of it.', '^src/platform/', [
    '^src/(platform|shared|i18n)/',
  ]),
  only(
    'app joins screens',
    'Routes and frame import screens and contracts, never a server part.',
    '^src/apps/site/',
    ['^src/(apps/site|client|ui|i18n|shared)/', contractsOf(SLICE), `^src/features/${SLICE}/screens/`],
  ),
  only(
    'the console joins its screens',
    'It collects what slices declare of their screens and approvals, and knows no screen itself, no server part and no page of the shop.',
    '^src/apps/console/',
    [
      '^src/(apps/console|console-kit|client|ui|i18n|shared)/',
      contractsOf(SLICE),
      DECLARATIONS,
      '^src/apps/site/styles/',
    ],
  ),
  only(
    'the kit knows no slice',
    'What screens of the console are made of imports none of them, and no contract.',
    '^src/console-kit/',
    ['^src/(console-kit|client|ui|i18n|shared)/'],
  ),
  only(
    'src/server joins front doors',
    'It knows slices by server/index.ts, pages as a built bundle.',
    '^src/server/',
    ['^src/(server|platform|shared|i18n|client)/', `^src/features/${SLICE}/([^/]+|server/index\\.ts)$`],
  ),
]

const GENERAL: DependencyRule[] = [
  never(
    'emulators share no code',
    'An emulator that shares our code would share our mistakes (ADR 0031).',
    { path: '^emulators/' },
    { path: '^(src|db|test|tools|art)/' },
  ),
  never(
    'the product imports no emulator, test or tool',
    'What is shipped does not depend on what checks it.',
    { path: '^src/', pathNot: TEST_FILES },
    { path: ['^(emulators|test|tools|art|build)/', TEST_FILES] },
  ),
  never(
    'the product loads a story when it tells it',
    'A live shop keeps nothing of the invented sales in its memory: a dynamic import reads them.',
    { path: '^src/', pathNot: TEST_FILES },
    { path: '^db/', dynamic: false, dependencyTypesNot: ['type-only'] },
  ),
  never(
    'tools use front doors',
    'A tool reaches slices by server/index.ts and contracts, as the server program does.',
    { path: '^(tools|art|db)/', pathNot: TEST_FILES },
    {
      path: ['^src/(apps|console-kit|ui)/', `^src/features/${SLICE}/(screens|console|server)/`, '^test/'],
      pathNot: `^src/features/${SLICE}/server/index\\.ts$`,
    },
  ),
  never(
    'calls are for screens',
    'A server part calls no server.',
    {
      path: `^src/(ui|shared|server|platform|features/${SLICE}/server)/`,
      pathNot: TEST_FILES,
    },
    { path: `^src/features/${SLICE}/[^/]+\\.api\\.ts$` },
  ),
  never(
    'declarations are collected once',
    'What a slice declares is for the console that joins it; screens share their parts directly.',
    { path: '^src/', pathNot: ['^src/apps/console/(navigation|approvals)\\.ts$', TEST_FILES] },
    { path: DECLARATIONS },
  ),
  never(
    'browser code runs without Node',
    'These files reach browsers, which have no modules of Node.',
    {
      path: `^src/(shared|client|ui|console-kit|draw-protocol|apps/console|features/${SLICE}/([^/]+$|screens/|console/))`,
      pathNot: TEST_FILES,
    },
    { dependencyTypes: ['core'] },
  ),
  never(
    'browser code reads compiled texts',
    'The server translator carries the ICU parser and reads files.',
    { path: `^src/(client|ui|apps|console-kit|features/${SLICE}/(screens|console))/`, pathNot: TEST_FILES },
    { path: '^src/i18n/(server-translator|catalogue-plugin)\\.ts$' },
  ),
  never(
    'no development package at run time',
    'A shop in service needs no development packages.',
    { path: ['^(src|emulators|db)/', '^tools/(run|bootstrap)/'], pathNot: [TEST_FILES, '/support\\.ts$'] },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  never('no circle', 'A circle of imports is one module in pieces.', {}, { circular: true }),
  never(
    'everything resolves',
    'An import that does not resolve is checked by no rule.',
    {},
    // Vite makes `virtual:` modules, React Router the types under `+types`.
    { couldNotResolve: true, pathNot: ['^virtual:', '/\\+types/'] },
  ),
  never(
    'no orphan',
    'A file that neither imports nor is imported is dead.',
    { orphan: true, path: '^src/', pathNot: '\\.d\\.ts$' },
    {},
  ),
]

export const dependencyRules = (slices: Slices): DependencyRule[] => [
  ...LAYERS,
  ...Object.keys(slices).flatMap((slice) => sliceRules(slices, slice)),
  ...GENERAL,
]
