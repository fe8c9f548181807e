import type { IForbiddenRuleType } from 'dependency-cruiser'
import type { Slices } from './slices.ts'

type Rule = IForbiddenRuleType & { name: string }
type End = { path?: string | string[]; pathNot?: string | string[] }

/** Tests and what only tests use: they may go through any door. */
const TEST_FILES = '\\.(test|e2e)\\.tsx?$|\\.test-[a-z-]+\\.tsx?$'
/** Names and types of message keys: part of the language that every layer speaks. */
const MESSAGE_KEYS = '^src/i18n/keys\\.ts$'
const OURS = '^(src|db|emulators|test|tools)/'
const rootOf = (slice: string): string => `^src/features/${slice}/[^/]+$`
const any = (names: readonly string[]): string => `(${names.join('|')})`

/** "Files at `from` import nothing of ours but `allowed`." Packages are another rule's matter. */
const only = (name: string, comment: string, from: End, allowed: string[]): Rule => ({
  name,
  comment,
  severity: 'error',
  from: { ...from, pathNot: [TEST_FILES, ...[from.pathNot ?? []].flat()] },
  to: { path: OURS, pathNot: allowed },
})

const never = (name: string, comment: string, from: End, to: Rule['to']): Rule => ({
  name,
  comment,
  severity: 'error',
  from,
  to,
})

/** Rules of one slice, from its row in `slices.json`. */
function sliceRules(slices: Slices, slice: string): Rule[] {
  const { contracts, server, screens } = slices[slice]!
  const own = `^src/features/${slice}/`
  return [
    only(
      `${slice}: contract and rules stay pure`,
      'A contract and its rules import the kernel and the contracts that slices.json allows.',
      { path: rootOf(slice) },
      ['^src/shared/', MESSAGE_KEYS, rootOf(slice), ...contracts.map(rootOf)],
    ),
    only(
      `${slice}: server uses front doors`,
      'A server part meets other slices through server/index.ts and contracts, along slices.json.',
      { path: `${own}server/` },
      [
        '^src/(shared|platform|i18n)/',
        rootOf(slice),
        `${own}server/`,
        ...(server.length > 0 ? [`^src/features/${any(server)}/([^/]+|server/index\\.ts)$`] : []),
      ],
    ),
    only(
      `${slice}: screens stay in front`,
      'Screens import any contract, the screens slices.json allows, and never a server part, not even a type.',
      { path: `${own}screens/` },
      [
        '^src/(shared|ui|client|i18n)/',
        rootOf('[^/]+'),
        `${own}screens/`,
        ...(screens.length > 0 ? [`^src/features/${any(screens)}/screens/`] : []),
      ],
    ),
  ]
}

const LAYERS: Rule[] = [
  only('shared stands alone', 'The kernel imports nothing of ours.', { path: '^src/shared/' }, [
    '^src/shared/',
    MESSAGE_KEYS,
  ]),
  only('ui knows no business', 'Primitives take text and data as props.', { path: '^src/ui/' }, [
    '^src/(ui|shared)/',
  ]),
  only('i18n stands on the kernel', 'Catalogues and formatters know no screen.', { path: '^src/i18n/' }, [
    '^src/(i18n|shared)/',
  ]),
  only(
    'client speaks contracts',
    'The browser kernel imports the kernel, texts and contracts.',
    { path: '^src/client/' },
    ['^src/(client|shared|i18n)/', rootOf('[^/]+')],
  ),
  only(
    'platform knows no business',
    'Infrastructure imports the kernel and texts; what a slice needs, it is given.',
    { path: '^src/platform/' },
    ['^src/(platform|shared|i18n)/'],
  ),
  only(
    'app joins screens',
    'Routes and frame import screens, primitives and contracts, never a server part.',
    { path: '^src/app/' },
    ['^src/(app|client|ui|i18n|shared)/', rootOf('[^/]+'), '^src/features/[^/]+/screens/'],
  ),
  only(
    'src/server joins front doors',
    'The server program imports slices by their front doors, and pages only as the built bundle.',
    { path: '^src/server/' },
    ['^src/(server|platform|shared|i18n|client)/', '^src/features/[^/]+/([^/]+|server/index\\.ts)$'],
  ),
]

const GENERAL: Rule[] = [
  never(
    'emulators share no code',
    'An emulator that shares our code would share our mistakes (ADR 0010).',
    { path: '^emulators/' },
    { path: '^(src|db|test|tools)/' },
  ),
  never(
    'the product imports no emulator, test or tool',
    'What is shipped does not depend on what checks it.',
    { path: '^src/', pathNot: TEST_FILES },
    { path: ['^(emulators|test|tools|build)/', TEST_FILES] },
  ),
  never(
    'tools use front doors',
    'A tool reaches slices by server/index.ts and contracts, as the server program does.',
    { path: '^(tools|db)/', pathNot: TEST_FILES },
    {
      path: ['^src/(app|ui)/', '^src/features/[^/]+/(screens|server)/', '^test/'],
      pathNot: '/server/index\\.ts$',
    },
  ),
  never(
    'browser code runs without Node',
    'These files reach browsers, where neither Node nor the server translator exists.',
    { path: '^src/(shared|client|ui|features/[^/]+/([^/]+$|screens/))', pathNot: TEST_FILES },
    { dependencyTypes: ['core'] },
  ),
  never(
    'browser code reads compiled texts',
    'The server translator carries the ICU parser and reads files.',
    { path: '^src/(client|ui|app|features/[^/]+/screens)/', pathNot: TEST_FILES },
    { path: '^src/i18n/(server-translator|catalogue-plugin)\\.ts$' },
  ),
  never(
    'no development package at run time',
    '`npm start` installs no development packages.',
    {
      path: '^(src|emulators|db)/|^tools/(run|bootstrap)/',
      pathNot: [TEST_FILES, '^emulators/.*/support\\.ts$'],
    },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  never('no circle', 'A circle of imports is one module in pieces.', {}, { circular: true }),
  never(
    'everything resolves',
    'An import that does not resolve is checked by no rule.',
    {},
    // `virtual:` modules and `+types` are made by Vite and React Router.
    { couldNotResolve: true, pathNot: ['^virtual:', '/\\+types/', '\\.css(\\?url)?$'] },
  ),
  never(
    'no orphan',
    'A file that nothing imports and that imports nothing is dead.',
    { orphan: true, path: '^src/', pathNot: ['\\.d\\.ts$'] } as End,
    {},
  ),
]

/** Every dependency rule of the project, by the table of slices. */
export const dependencyRules = (slices: Slices): Rule[] => [
  ...LAYERS,
  ...Object.keys(slices).flatMap((slice) => sliceRules(slices, slice)),
  ...GENERAL,
]
