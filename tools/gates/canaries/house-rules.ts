import type { RuleName } from '../house-rules/all.ts'
import type { HouseCanary } from './house-canary.ts'
import { TEXT_CANARIES } from './text-rules.ts'
import { WORD_CANARIES } from './word-rules.ts'

const french = (text: string): Record<string, string> => ({ 'src/i18n/fr/cart.json': text })
/** Put together here, because no file of the project may name a registry's host. */
const REGISTRY = ['registry', 'npmjs', 'org'].join('.')
const KEY_LINE = 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v5VpgugKiVZpZ'

/** A canary for each rule; those about words have files of their own. */
export const HOUSE_CANARIES: Record<RuleName, HouseCanary> = {
  environment: {
    files: {
      'src/server/config.ts': 'export const port = process.env.PORT\n',
      'src/server/main.test.ts': 'spawn({ env: process.env })\n',
      'src/a.ts': 'export const a = process.env.PORT\n',
      'src/b.ts': "export const b = process['env'].PORT\n",
      'src/c.ts': 'const { env } = process\nexport const c = env\n',
      'emulators/paypal/d.ts': "import { env } from 'node:process'\nexport const d = env\n",
    },
    findings: [
      'emulators/paypal/d.ts:1  imports the environment',
      'src/a.ts:1  reads the environment',
      'src/b.ts:1  reads the environment',
      'src/c.ts:1  reads the environment',
    ],
  },
  queries: {
    files: {
      'src/features/cart/server/cart.repository.ts': "export const a = (db) => db.selectFrom('carts')\n",
      'src/features/cart/server/cart.service.ts': "export const b = (db) =>\n  db.selectFrom('carts')\n",
      'src/server/health.ts': 'export const c = sql`select 1`\nexport const d = sql<number>`select 2`\n',
    },
    findings: [
      'src/features/cart/server/cart.service.ts:2  selectFrom() belongs in a repository',
      'src/server/health.ts:1  SQL belongs in a repository',
      'src/server/health.ts:2  SQL belongs in a repository',
    ],
  },
  clocks: {
    files: {
      'src/shared/clock.ts': 'export const now = () => new Date()\n',
      'src/a.ts': 'export const a = new Date(0)\nexport const b = new Date()\n',
    },
    findings: ['src/a.ts:2  new Date() hides a clock'],
  },
  silence: {
    files: {
      'src/a.test.ts': "test('a', () => {})\ntest.only('b', () => {})\ndescribe.skip('c', () => {})\n",
      'src/b.test.ts': "test.each([1]).only('d', () => {})\ntest.skipIf(root)('e', () => {})\nwith_.only()\n",
    },
    findings: [
      'src/a.test.ts:2  .only silences tests',
      'src/a.test.ts:3  .skip silences tests',
      'src/b.test.ts:1  .only silences tests',
    ],
  },
  excuses: {
    files: {
      'src/a.ts':
        '// oxlint-disable-next-line no-console -- the log is not open yet\n// oxlint-disable-next-line no-console\n',
      'src/b.ts': '// @ts-expect-error the type lacks it\n// @ts-expect-error\n// @ts-ignore whatever\n',
    },
    findings: [
      'src/a.ts:2  oxlint-disable-next-line without a reason',
      'src/b.ts:2  @ts-expect-error without a reason',
      'src/b.ts:3  @ts-ignore without a reason',
    ],
  },
  emulators: {
    files: {
      'src/server/run.ts': "// emulators/ is a word in a comment\nspawn('./emulators/paypal/main.ts')\n",
    },
    findings: ['src/server/run.ts:2  reaches for an emulator'],
  },
  slices: {
    files: {
      'slices.json': '{ "cart": { "shares": ["a.ts", "b.ts"] }, "ghost": {} }',
      'src/features/cart/screens/a.ts': '',
      'src/features/offers/offers.rules.ts': '',
    },
    findings: [
      'slices.json:1  ghost has no folder',
      'slices.json:1  shares src/features/cart/screens/b.ts, which does not exist',
      'src/features/offers:1  not in slices.json',
    ],
  },
  folders: {
    files: {
      'src/features/cart/cart.contract.ts': '',
      'src/features/cart/server/cart.routes.ts': '',
      'src/features/cart/utils/money.ts': '',
      'src/features/cart/cart-helpers.ts': '',
    },
    findings: [
      'src/features/cart/cart-helpers.ts:1  neither a contract, rules, server nor screens',
      'src/features/cart/utils/money.ts:1  neither a contract, rules, server nor screens',
      'src/features/cart/server:1  has no front door, index.ts',
    ],
  },
  barrels: {
    files: {
      'src/features/cart/server/index.ts': '',
      'src/features/cart/screens/index.ts': '',
      'src/ui/index.tsx': '',
    },
    findings: [
      'src/features/cart/screens/index.ts:1  only the front door of a slice is an index',
      'src/ui/index.tsx:1  only the front door of a slice is an index',
    ],
  },
  names: {
    files: { 'src/ui/price-tag.tsx': '', 'src/ui/PriceTag.tsx': '', 'tools/run_it.ts': '' },
    findings: ['src/ui/PriceTag.tsx:1  is not in kebab-case', 'tools/run_it.ts:1  is not in kebab-case'],
  },
  places: {
    files: {
      'test/e2e/buy.e2e.ts': '',
      'src/app/buy.e2e.ts': '',
      'src/ui/button.spec.tsx': '',
      'test/cart.rules.test.ts': '',
    },
    findings: [
      'src/app/buy.e2e.ts:1  a journey lives in test/e2e',
      'src/ui/button.spec.tsx:1  tests are named .test or .e2e',
      'test/cart.rules.test.ts:1  a test of rules lies beside them',
    ],
  },
  unrun: {
    files: {
      'vitest.config.ts': "include: ['src/**/*.test.{ts,tsx}', 'test/e2e/**/*.e2e.ts']\n",
      'src/a/b.test.tsx': '',
      'test/e2e/buy.e2e.ts': '',
      'tools/lost.test.ts': '',
    },
    findings: ['tools/lost.test.ts:1  belongs to no project of vitest.config.ts'],
  },
  versions: {
    files: {
      'package.json': JSON.stringify({
        dependencies: { kysely: '^0.29.9', pg: '8.23.1', 'react-router': '8.4.0', beta: '1.0.0-beta.17' },
        devDependencies: { '@react-router/dev': '8.5.0', knip: 'latest' },
      }),
    },
    findings: [
      'package.json:1  kysely is not an exact version: ^0.29.9',
      'package.json:1  knip is not an exact version: latest',
      'package.json:1  React Router in several versions: 8.4.0, 8.5.0',
    ],
  },
  node: {
    files: { '.nvmrc': '20\n', 'package.json': '{ "dependencies": { "node": "24.21.0" } }' },
    findings: ['.nvmrc:1  names Node 20, package.json installs 24.21.0'],
  },
  scripts: {
    files: {
      'package.json': '{ "scripts": { "test": "", "db:types": "" } }',
      'README.md': 'Run `npm test`, `npm run db:types`: both exist.\n',
      'CONTRIBUTING.md': 'Run `npm start`,\nthen `npm run db:reset`.\n',
    },
    findings: [
      'CONTRIBUTING.md:1  there is no script start',
      'CONTRIBUTING.md:2  there is no script db:reset',
    ],
  },
  papers: {
    files: {
      'slices.json': '{ "cart": {}, "offers": {} }',
      'README.md': '',
      'ARCHITECTURE.md': '| `cart` | what somebody is about to buy |\n',
      'CHANGELOG.md': '',
      LICENSE: '',
    },
    findings: ['CONTRIBUTING.md:1  is missing', 'ARCHITECTURE.md:1  does not name the slice offers'],
  },
  links: {
    files: {
      'docs/adr/0001-a.md': '[up](../../README.md) [gone](./0002-b.md#why)\n',
      'README.md': '[records](docs/adr/) [site](https://example.org/a.md) [gone](docs/no/)\n',
    },
    findings: [
      'README.md:1  links to nothing: docs/no/',
      'docs/adr/0001-a.md:1  links to nothing: ./0002-b.md',
    ],
  },
  records: {
    files: {
      'docs/adr/0001-a.md':
        '# 0001 A\n\nStatus: accepted · Area: all · Date: 2026-01-31\n\n**Context.** a\n\n**Decision.** b\n\n**Consequences.** c\n\n**Alternatives.** d\n\n**Enforced by.** e\n',
      'docs/adr/0003-b.md':
        '# 0003 B\n\n**Context.** a\n\n**Decision.** b\n\n**Consequences.** c\n\n**Alternatives.** d\n',
      'docs/adr/notes.md': '',
    },
    findings: [
      'docs/adr/0003-b.md:1  the record before it is missing, or the number is taken',
      'docs/adr/0003-b.md:1  lacks title, status, area or date',
      'docs/adr/0003-b.md:1  lacks Enforced by',
      'docs/adr/notes.md:1  is not named NNNN-title.md',
    ],
  },
  ...TEXT_CANARIES,
  languages: {
    files: {
      ...french('{}'),
      'src/i18n/fr/mail.json': '{}',
      'src/i18n/nl/cart.json': '{}',
      'src/i18n/nl/old.json': '{}',
    },
    findings: ['src/i18n/nl:1  lacks mail.json', 'src/i18n/nl/old.json:1  has no French source'],
  },
  keys: {
    files: {
      ...french('{ "a": { "b": "x" }, "c": "y" }'),
      'src/i18n/en/cart.json': '{ "c": "y", "d": "z" }',
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.a.b is missing in en',
      'src/i18n/en/cart.json:1  cart.d has no French source',
    ],
  },
  emptiness: {
    files: french('{ "a": "x", "b": " " }'),
    findings: ['src/i18n/fr/cart.json:1  cart.b is empty'],
  },
  arguments: {
    files: {
      ...french('{ "a": "{n, plural, one {#} other {# {name}}}", "b": "{open", "c": "{n}" }'),
      'src/i18n/en/cart.json': '{ "a": "{n, plural, one {#} other {#}}", "b": "", "c": "{n}" }',
    },
    findings: [
      'src/i18n/en/cart.json:1  cart.a has {n: plural}, French has {n: plural, name: text}',
      'src/i18n/fr/cart.json:1  cart.b is not well formed: EXPECT_ARGUMENT_CLOSING_BRACE',
    ],
  },
  missing: {
    files: {
      ...french('{ "title": "x", "state": { "open": "y" } }'),
      'src/ui/a.tsx':
        "const t = useTranslations('cart')\nt('title')\nt('gone')\nt(full ? 'state.open' : 'state.shut')\n",
      'src/b.ts': "translate(language, 'cart.title')\nkey('cart.lost')\n",
    },
    findings: [
      'src/b.ts:2  there is no message cart.lost',
      'src/ui/a.tsx:3  there is no message cart.gone',
      'src/ui/a.tsx:4  there is no message cart.state.shut',
    ],
  },
  unused: {
    files: {
      ...french(
        '{ "title": "x", "state": { "open": "y", "shut": "y" }, "code": { "a": "z" }, "old": "z", "fault": { "a": "b", "c": "d" } }',
      ),
      'src/ui/a.tsx': "const t = useTranslations('cart')\nt('title')\nt(state)\n",
      'src/b.ts':
        "export const state = 'state.open'\ntranslate(language, `cart.code.${name}`)\nexport const other = 'c'\n",
      'src/features/cart/screens/fault.tsx': "const t = useTranslations('cart.fault')\nt(fault.kind)\n",
      'src/features/cart/cart.rules.ts': "export const fault = { kind: 'a' }\n",
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.state.shut is used nowhere',
      'src/i18n/fr/cart.json:1  cart.old is used nowhere',
      'src/i18n/fr/cart.json:1  cart.fault.c is used nowhere',
    ],
  },
  ...WORD_CANARIES,
  traces: {
    files: {
      'README.md': 'Paths like /home and /var/lib/volant are fine.\nThe log is in /home/ada/volant/log\n',
      '.npmrc': 'registry=https://registry.example.org/\n',
      'package-lock.json': `"resolved": "https://${REGISTRY}/pg"\n`,
    },
    findings: ['.npmrc:1  names a package registry', "README.md:2  names a path of somebody's machine"],
  },
  secrets: {
    files: {
      'src/a.ts': `const key = \`-----BEGIN PRIVATE KEY-----\n${KEY_LINE}\`\n`,
      'src/b.ts': "const header = '-----BEGIN PRIVATE KEY-----'\n",
      '.npmrc': `//${REGISTRY}/:_authToken=abc\n`,
    },
    findings: ['.npmrc:1  names a registry token', 'src/a.ts:1  names a private key'],
  },
}
