/** The smallest tree that breaks one house rule, and the findings of the rule; the project itself is the correct one. */
export type HouseCanary = { files: Record<string, string>; findings: string[] }

const french = (text: string): Record<string, string> => ({ 'src/i18n/fr/cart.json': text })
/** Composed, because no file of the project may name a registry's host. */
const REGISTRY = ['registry', 'npmjs', 'org'].join('.')
const KEY_LINE = 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v5VpgugKiVZpZ'
const page = (jsx: string): string => `export const Page = () => ${jsx}\n`
const NO_BREAK = '\u00a0'
const catalogue = (language: string, messages: Record<string, string>): Record<string, string> => ({
  [`src/i18n/${language}/cart.json`]: JSON.stringify(messages),
})
const textOf = (words: string): string => `export const one = text('${words}')\n`
const outside = (at: string, ...texts: string[]): string[] =>
  texts.map((text) => `${at}  text outside the catalogues: ${text}`)
const TEXTS = 'src/features/policies/server/texts'

const TESTS = [
  "test('a plain title [spec 2.1]', () => {})",
  "describe('a group', () => it('inside [spec 2.2-2.4, 3.1]', () => {}))",
  "test.each([1])('made of %i: %s [spec 3.4]', () => {})",
  'test(`counts ${n}`, () => {})',
  "// test('in a comment [spec 3.2]', () => {})",
  'const text = "test(\'in a text [spec 3.2]\', () => {})"',
  "test('unknown [spec 4.1, 2.1-2.9]', () => {})",
].join('\n')
const DEMANDS = 'docs/specification-demands.txt'
const ASVS = 'docs/asvs.md'
const unknownDemand = (id: string): string =>
  `src/a.test.ts:1  "unknown" names ${id}, which is no demand of ${DEMANDS}`
const demands = (section: number, ...texts: string[]): string[] =>
  texts.map((text, index) => `${section}.${index + 1}  ${text}`)

const FAILURES = 'docs/failure-modes.md'
const INSIDE = '- Test: "inside"'
const CONTROL = '- Without the guard: "counts"'
const named = (title: string): string => `- Test: "${title}"`
const NO_TESTS = ['a plain', 'a group', 'in a comment', 'in a text']
const mode = (title: string, ...lines: string[]): string => [`## ${title}`, '', ...lines, ''].join('\n')

const journey = (call: string, lines: number, first = 'look()'): string =>
  `${call}('goes far', async ({ annotate }) => {\n${first}\n${'look()\n'.repeat(lines - 3)}})`

const FAULTS = 'test/planted-faults/faults.json'
const fault = (id: string, change: object = {}) => {
  const fits = { id, file: 'src/a.ts', find: 'b', replace: '', tests: ['a.test.ts'] }
  return { ...fits, ...change }
}

/** A canary for each rule. */
export const HOUSE_CANARIES = {
  goingBack: {
    files: {
      'db/migrations/0031-older.sql': 'DROP TABLE cats;\n',
      'db/migrations/0034-without.sql': '-- Going back: maybe\nSELECT 1;\n',
      'db/migrations/0035-adds.sql':
        "-- Going back: yes\n-- DROP TABLE cats\nALTER TABLE cats ADD COLUMN colour text NOT NULL DEFAULT 'red';\n",
      'db/migrations/0036-takes.sql':
        '-- Going back: yes\nDROP TABLE cats;\nALTER TABLE dogs\n  RENAME age TO years,\n  ALTER id TYPE bigint,\n  ADD COLUMN name text NOT NULL;\n',
      'db/migrations/0037-long-unused.sql': '-- Going back: to 0036\nDROP TABLE dogs;\n',
      'db/migrations/0038-cannot.sql': '-- Going back: no, no version knows birds\nDROP TABLE birds;\n',
    },
    findings: [
      'db/migrations/0034-without.sql:1  lacks a line «-- Going back: yes», «to NNNN» or «no, why» (ADR 0101)',
      'db/migrations/0036-takes.sql:2  says that every older version runs after «DROP TABLE»',
      'db/migrations/0036-takes.sql:4  says that every older version runs after «RENAME»',
      'db/migrations/0036-takes.sql:5  says that every older version runs after «TYPE»',
      'db/migrations/0036-takes.sql:6  says that every older version runs after «ADD COLUMN name»',
    ],
  },
  browserParts: {
    files: {
      'src/client/browser-parts.ts': 'window.localStorage\nnew BroadcastChannel(name)\n',
      'src/ui/watch-size.ts': 'new ResizeObserver(tell)\n',
      'src/server/pages/document.ts': 'const MARK = `localStorage.getItem()`\n',
      'src/client/a.test.ts': 'window.sessionStorage\n',
      'src/client/a.ts':
        '// localStorage.getItem\nwindow.localStorage.getItem(name)\nnew BroadcastChannel(name)\n',
      'src/features/purchase/cart/screens/b.ts':
        '/* document.cookie */ document.cookie = window.matchMedia(query)\n',
      'src/features/purchase/cart/console/c.tsx': 'crypto.randomUUID()\nnew ResizeObserver(tell)\n',
    },
    findings: [
      'src/client/a.ts:2  localStorage belongs in src/client/browser-parts.ts: a browser may lack it',
      'src/client/a.ts:3  BroadcastChannel belongs in src/client/browser-parts.ts: a browser may lack it',
      'src/features/purchase/cart/screens/b.ts:1  document.cookie belongs in src/client/browser-parts.ts: a browser may lack it',
      'src/features/purchase/cart/screens/b.ts:1  matchMedia( belongs in src/client/browser-parts.ts: a browser may lack it',
      'src/features/purchase/cart/console/c.tsx:1  randomUUID( belongs in src/client/browser-parts.ts: a browser may lack it',
      'src/features/purchase/cart/console/c.tsx:2  ResizeObserver belongs in src/ui/watch-size.ts: a browser may lack it',
    ],
  },
  clocks: {
    files: {
      'src/a.ts': 'export const a = new Date(0)\nexport const b = new Date()\n',
      'src/features/purchase/cart/screens/a.ts': 'export const a = Date.now()\n',
      'src/features/purchase/cart/server/a.ts': 'export const a = Date.now()\n',
      'src/ui/a.ts': "import { nowMs } from '#shared/clock.ts'\n",
    },
    findings: [
      'src/a.ts:2  new Date() hides a clock',
      'src/features/purchase/cart/screens/a.ts:1  reads the clock of the visitor’s machine',
      'src/ui/a.ts:1  reads the clock of the visitor’s machine',
    ],
  },
  slices: {
    files: {
      'slices.json': '{ "purchase/cart": { "shares": ["a.ts", "b.ts"] }, "ghost": {} }',
      'src/features/purchase/cart/screens/a.ts': '',
      'src/features/offers/offers.rules.ts': '',
    },
    findings: [
      'slices.json:1  ghost has no folder',
      'slices.json:1  shares src/features/purchase/cart/screens/b.ts, which does not exist',
      'src/features/offers:1  not in slices.json',
    ],
  },
  unrun: {
    files: {
      'vitest.config.ts': "include: ['src/**/*.test.{ts,tsx}', 'test/e2e/**/*.e2e.ts']\n",
      'src/a/b.test.tsx': '',
      'test/e2e/buy.e2e.ts': '',
      'tools/lost.test.ts': '',
      'src/ui/button.spec.tsx': '',
    },
    findings: [
      'src/ui/button.spec.tsx:1  belongs to no project of vitest.config.ts',
      'tools/lost.test.ts:1  belongs to no project of vitest.config.ts',
    ],
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
  texts: {
    files: {
      'src/ui/a.tsx': page('<p>Your cart</p>'),
      'src/ui/b.tsx': page('<><img alt="A car" /><p>{full ? "Full" : `${n} left`}</p>Loose</>'),
      'src/features/purchase/cart/screens/c.tsx': "toast.warning('Gone')\n",
      'src/ui/d.tsx': page(
        '<>{full && "Sold out"}<input placeholder="Your name" aria-label={`Pay ${n}`} /></>',
      ),
      'src/apps/site/e.ts':
        "export const right = { label: 'frame.menu.home', title: t('x'), description: text }\nexport const wrong = { label: 'Home', 'aria-label': 'Go home' }\ntoast.info(t('x'), { description: 'Try again' })\ndocument.title = 'Volant'\n",
    },
    findings: [
      ...outside('src/apps/site/e.ts:2', 'Home', 'Go home'),
      ...outside('src/apps/site/e.ts:3', 'Try again'),
      ...outside('src/apps/site/e.ts:4', 'Volant'),
      ...outside('src/features/purchase/cart/screens/c.tsx:1', 'Gone'),
      ...outside('src/ui/a.tsx:1', 'Your cart'),
      ...outside('src/ui/b.tsx:1', 'Loose', 'A car', 'Full', 'left'),
      ...outside('src/ui/d.tsx:1', 'Sold out', 'Your name', 'Pay'),
    ],
  },
  answers: {
    files: {
      'src/features/purchase/cart/server/cart.service.ts':
        "throw new Error('No such cart')\nrequest.log.warn({ cart }, 'Cart away')\nreply.send({ detail: 'Your cart is empty' })\nexport const state = 'in progress'\n",
      'src/features/purchase/cart/server/cart-pdf.ts':
        "doc.text('Billet, sans valeur')\ndoc.text(translate(language, 'pdf.x'))\n",
      'src/features/purchase/cart/server/cart-mail.ts':
        'export const html = `<h1>${name}</h1><p>Thank you</p>`\n',
      'src/platform/http/errors.ts':
        'reply.send({ message: `Hello ${name}` })\nreply.send({ message: `Not found.` })\n',
    },
    findings: [
      ...outside('src/features/purchase/cart/server/cart-mail.ts:1', '</h1><p>Thank you</p>'),
      ...outside('src/features/purchase/cart/server/cart-pdf.ts:1', 'Billet, sans valeur'),
      ...outside('src/features/purchase/cart/server/cart.service.ts:3', 'Your cart is empty'),
      ...outside('src/platform/http/errors.ts:1', 'Hello'),
      ...outside('src/platform/http/errors.ts:2', 'Not found.'),
    ],
  },
  missing: {
    files: {
      ...french('{ "title": "x" }'),
      'src/b.ts': "translate(language, 'cart.title')\ntranslate(order.language, 'cart.lost')\n",
    },
    findings: ['src/b.ts:2  there is no message cart.lost'],
  },
  unused: {
    files: {
      ...french(
        '{ "title": "x", "state": { "open": "y", "shut": "y" }, "code": { "a": "z" }, "old": "z", "fault": { "a": "b", "c": "d" } }',
      ),
      'src/ui/a.tsx': "const t = useTranslations('cart')\nt('title')\nt(state)\n",
      'src/b.ts':
        "export const state = 'state.open'\ntranslate(language, `cart.code.${name}`)\nexport const other = 'c'\n",
      'src/features/purchase/cart/screens/fault.tsx':
        "const t = useTranslations('cart.fault')\nt(fault.kind)\n",
      'src/features/purchase/cart/cart.rules.ts': "export const fault = { kind: 'a' }\n",
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.state.shut is used nowhere',
      'src/i18n/fr/cart.json:1  cart.old is used nowhere',
      'src/i18n/fr/cart.json:1  cart.fault.c is used nowhere',
    ],
  },
  marks: {
    files: {
      'src/ui/a.tsx': page("<p>{t('total')}: {total}</p>"),
      'src/ui/b.tsx': page("<>{t.rich('total')} <b>{t('hours')}</b>: {two(hours)}:{two(minutes)}</>"),
      'src/ui/c.ts': "export const title = `${t('language')}: ${name}`\nexport const key = `${t('a')}:b`\n",
    },
    findings: [
      'src/ui/a.tsx:1  the mark belongs into the message',
      'src/ui/c.ts:1  the mark belongs into the message',
    ],
  },
  typography: {
    files: {
      ...catalogue('fr', {
        quoted: 'Prêt à gagner ?',
        plain: 'Total : {total}',
        narrow: `Vide\u202f?`,
        tight: 'Oui!',
        quotes: '« Aube »',
        straight: "L'offre",
        dots: 'Chargement…',
        apart: 'Chargement ...',
        double: 'Un  mot',
        loose: ' un mot',
      }),
      ...catalogue('nl', {
        curly: '"Aube"',
        closing: 'zoals ’Een auto’s bumper’ of ’{name}’',
        elided: 'foto’s, ’s avonds en ’t blauwe',
        german: '„Aube”',
        straight: "auto's",
      }),
      ...catalogue('en', { right: 'It’s “Aube”: you?', curly: 'The "Aube"' }),
      [`${TEXTS}/en.ts`]: textOf('It’s right') + textOf('A  gap'),
      [`${TEXTS}/data-fr.ts`]: textOf('C’est juste : voilà') + textOf('«Aube»'),
      'db/demo/texts/nl.json': `{ "l'auto": {\n"title": ["auto's", "L’auto"] } }\n`,
    },
    findings: [
      ...['plain', 'narrow', 'tight', 'quotes', 'straight', 'dots', 'apart', 'double', 'loose'].map(
        (key) => `src/i18n/fr/cart.json:1  cart.${key} is not typeset: npm run words`,
      ),
      'src/i18n/en/cart.json:1  cart.curly is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.closing is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.curly is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.german is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.straight is not typeset: npm run words',
      'db/demo/texts/nl.json:2  is not typeset, expected: auto’s',
      `${TEXTS}/data-fr.ts:2  is not typeset, expected: «${NO_BREAK}Aube${NO_BREAK}»`,
      `${TEXTS}/en.ts:2  is not typeset, expected: A gap`,
    ],
  },
  vocabulary: {
    files: {
      ...catalogue('fr', {
        a: 'Voir l’offre',
        quoted: 'Je découvre les offres',
      }),
      ...catalogue('nl', { right: 'Nog {hours} u, aanbod', a: 'Koop uw loten' }),
      ...catalogue('en', {
        right: 'Email {color}',
        a: 'An E-mail',
        b: 'See the offers',
        quoted: 'Offer ended',
      }),
      [`${TEXTS}/nl.ts`]: textOf('Je loten') + "export const id = heading('loten', 'Tickets')\n",
      'db/demo/texts/en.json': '{ "color": "Which color?" }\n',
      'db/demo/texts/fr.json': '{ "title": "Douze billets" }\n',
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.a says “offre”, write: concours',
      'src/i18n/en/cart.json:1  cart.a says “E-mail”, write: email',
      'src/i18n/en/cart.json:1  cart.b says “the offers”, write: contest',
      'src/i18n/nl/cart.json:1  cart.a says “loten”, write: ticket, tickets',
      'src/i18n/nl/cart.json:1  cart.a says “uw”, write: je, jouw',
      'db/demo/texts/en.json:1  this text says “color”, write: the British spelling',
      `${TEXTS}/nl.ts:1  this text says “loten”, write: ticket, tickets`,
    ],
  },
  times: {
    files: {
      ...catalogue('fr', {
        a: 'Dans les 7 jours',
        b: 'sous quatorze jours au plus',
        right: 'un délai de {claimTime}',
      }),
      ...catalogue('nl', { a: 'binnen zeven dagen', right: 'binnen {hours} uur, 7 dagtickets' }),
      ...catalogue('en', { a: `within 24${NO_BREAK}hours`, right: 'in {refundDays} days' }),
      'src/i18n/fr/console.json': JSON.stringify({ stepUp: { text: 'Elle vaut dix minutes.' } }),
      [`${TEXTS}/en.ts`]: textOf('We answer within 24 hours'),
      [`${TEXTS}/data-en.ts`]: textOf('Open or collapsed. 7 days.'),
    },
    findings: [
      ['src/i18n/fr/cart.json:1  cart.a', '7 jours'],
      ['src/i18n/fr/cart.json:1  cart.b', 'quatorze jours'],
      ['src/i18n/nl/cart.json:1  cart.a', 'zeven dagen'],
      ['src/i18n/en/cart.json:1  cart.a', `24${NO_BREAK}hours`],
      [`${TEXTS}/en.ts:1  this text`, '24 hours'],
    ].map(([at, time]) => `${at} names “${time}”: take it from a setting or a constant`),
  },
  plurals: {
    files: {
      ...catalogue('fr', { lies: '{n, plural, one {un billet} other {# billets}}' }),
      ...catalogue('en', { lacks: '{a}{n, plural, other {# tickets}}' }),
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.lies says one for none: write =1, or add =0',
      'src/i18n/en/cart.json:1  cart.lacks has no words for one',
    ],
  },
  traces: {
    files: {
      'README.md': 'Paths like /home and /var/lib/volant are fine.\nThe log is in /home/ada/volant/log\n',
      '.npmrc': 'registry=https://registry.example.org/\n',
      'package-lock.json': `"resolved": "https://${REGISTRY}/pg"\n`,
    },
    findings: [
      '.npmrc:1  names a package registry',
      'package-lock.json:1  names a package registry',
      "README.md:2  names a path of somebody's machine",
    ],
  },
  secrets: {
    files: {
      'src/a.ts': `const key = \`-----BEGIN PRIVATE KEY-----\n${KEY_LINE}\`\n`,
      '.npmrc': `//${REGISTRY}/:_authToken=abc\n`,
    },
    findings: ['.npmrc:1  names a registry token', 'src/a.ts:1  names a private key'],
  },
  demands: {
    files: {
      'src/a.test.ts': TESTS,
      [DEMANDS]: [
        '2. Screens',
        ...demands(2, 'one', 'one', 'one', 'one', 'none'),
        '3. Fields',
        ...demands(3, 'one', 'none', 'none {no test: nothing to see}', 'one {no test: no}', 'none'),
        '3.1  twice',
        '2.6  elsewhere',
      ].join('\n'),
    },
    findings: [
      unknownDemand('4.1'),
      unknownDemand('2.1-2.9'),
      `${DEMANDS}:6  no test shows 2.5`,
      `${DEMANDS}:9  no test shows 3.2`,
      `${DEMANDS}:12  no test shows 3.5`,
      `${DEMANDS}:11  3.4 has a test after all`,
      `${DEMANDS}:13  3.1 is there twice, or in another section than its own`,
      `${DEMANDS}:14  2.6 is there twice, or in another section than its own`,
      `${DEMANDS}  has 10 demands, at least 466 are known`,
    ],
  },
  failureModes: {
    files: {
      'src/a.test.ts': TESTS,
      [FAILURES]: [
        mode('9. Wrong number', 'So.', INSIDE, CONTROL),
        mode('2. No test', 'So.', CONTROL),
        mode('3. No control', 'So.', INSIDE),
        mode('4. No answer', INSIDE, CONTROL),
        mode('5. Unknown tests', 'So.', ...NO_TESTS.map(named), '- Without the guard: "b"'),
      ].join('\n'),
    },
    findings: [
      ...[1, 2, 3, 4].map(
        (number) => `${FAILURES}  mode ${number} lacks its number, an answer, a test or a negative control`,
      ),
      ...[...NO_TESTS, 'b'].map((title) => `${FAILURES}  mode 5 names no test: "${title}"`),
      `${FAILURES}  has not 36 modes`,
    ],
  },
  namedFiles: {
    files: {
      'src/one/a.ts': '',
      'docs/b.md': '# A heading, in *words*\n',
      'docs/a.md': [
        '`src/one/a.ts`, `one/a.ts`, `a.ts`, `src/one/`, `<slice>/a.ts`, `*.ts`, `#one/a.ts`, `https://one/a.ts`, `x.ts`',
        '[b](b.md), [b](./b.md#a-heading-in-words), [c](../src/one/a.ts), [d](https://shop.example/e.md), [e](#here)',
        '```',
        '`src/one/in-a-block.ts`',
        '```',
        '## Here',
        '`src/one/b.ts`, `two/a.ts`, `b.ts`, `src/two/`, `<slice>/b.ts`, `*.mjs`, [b](c.md), [b](b.md#heading), [e](#there)',
      ].join('\n'),
    },
    findings: [
      ...['src/one/b.ts', 'two/a.ts', 'b.ts', 'src/two/', '<slice>/b.ts', '*.mjs'].map(
        (name) => `docs/a.md:7  names no file: ${name}`,
      ),
      'docs/a.md:7  links to no file: c.md',
      'docs/a.md:7  links to no heading: b.md#heading',
      'docs/a.md:7  links to no heading: #there',
    ],
  },
  readers: {
    files: {
      'README.md': '# A shop\n\nFor whoever meets it.\n',
      'docs/adr/0001-one.md': '# 0001 One\n\n**Context.** One.\n',
      'docs/a.md': '# A\n\nWhoever runs a shop.\n',
      'docs/b.md': '# B\n\n## C\n\nFor whoever runs a shop.\n',
    },
    findings: ['docs/a.md  does not begin with who reads it', 'docs/b.md  does not begin with who reads it'],
  },
  citedDecisions: {
    files: {
      'docs/adr/0001-one.md': 'As ADR 0001, 0009 and 0002 say.\n',
      'docs/adr/0002-two.md': '',
      'docs/adr/0002-again.md': '',
      'docs/adr/README.md': [
        '| Whole | [0001](0001-one.md) One, [0002](0002-two.md) |',
        '| 0003, 0004 | 0001 |',
        '| 0005 | 0006 |',
        '| 0001 | 0002 |',
      ].join('\n'),
      'db/migrations/0007-a.sql': '-- ADR 0004\n-- ADR 0008\n',
      'src/one/a.ts':
        '// ADR 0002\n// ADR 0003\n// docs/adr/0007\n// [why](docs/adr/0010-gone.md), ADR 2019\n',
    },
    findings: [
      'docs/adr/README.md  does not list 0002-again.md',
      'docs/adr/README.md  0001 stands for two decisions',
      'docs/adr/README.md  0002 stands for two decisions',
      'docs/adr/README.md  folds into no record: 0006',
      'docs/adr/0001-one.md:1  cites no decision: 0009',
      'db/migrations/0007-a.sql:2  cites no decision: 0008',
      'src/one/a.ts:2  cites no decision: 0003',
      'src/one/a.ts:3  cites no decision: 0007',
      'src/one/a.ts:4  cites no decision: 0010',
      'src/one/a.ts:4  cites no decision: 2019',
    ],
  },
  securityRequirements: {
    files: {
      'src/one/a.test.ts': TESTS,
      [ASVS]: [
        '| 1 | 58 | 3 | 9 |',
        '| 2 | 153 | 1 | 29 |',
        '## Not met',
        '- 3.3.1, cookies: why 12.3.1 is none',
        '- 1.1.3: there is none',
        '- 3.3.2: none',
        '## Not applicable',
        '- 4.3, 4.4, 10: none',
        '- 10.4.1: also above',
        '- 99: no chapter',
        '## What meets the rest',
        '**V1 Words.** `one/a.test.ts`, "a plain',
        'title of its own"; "short"',
        '',
        '**V2 Words.** `src/one/b.ts`, "a test that nobody wrote"',
        '',
        '**V3 Words.** `one/a.ts`',
        ...[5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17].map((chapter) => `\n**V${chapter} W.** \`a.test.ts\``),
      ].join('\n'),
    },
    findings: [
      `${ASVS}  1.1.3 is no requirement, or there twice`,
      `${ASVS}  10.4.1 is no requirement, or there twice`,
      `${ASVS}  99 is no requirement, or there twice`,
      `${ASVS}  counts should be 1 63 1 6`,
      `${ASVS}  names no test of chapter 3`,
      `${ASVS}  names no test of chapter 4`,
      `${ASVS}  names no file: src/one/b.ts`,
      `${ASVS}  names no file: one/a.ts`,
      `${ASVS}  names no test: "a plain title of its own"`,
      `${ASVS}  names no test: "a test that nobody wrote"`,
    ],
  },
  plantedFaults: {
    files: {
      'src/a.ts': 'a b a',
      'a.test.ts': '',
      'db/migrations/0001-first.sql':
        'CREATE TABLE cats (a int);\nCREATE TRIGGER stay b;\nCREATE TRIGGER go c;\n',
      'db/migrations/0002-second.sql': 'DROP TRIGGER stay ON cats;\nCREATE TRIGGER stay d;\n',
      [FAULTS]: JSON.stringify([
        fault('fits'),
        fault('stands', { file: 'db/migrations/0001-first.sql', find: 'go c' }),
        fault('replaced', { file: 'db/migrations/0001-first.sql', find: 'stay b' }),
        fault('gone', { find: 'c' }),
        fault('often', { find: 'a' }),
        fault('same', { replace: 'b' }),
        fault('elsewhere', { file: 'src/b.ts' }),
        fault('untested', { tests: [] }),
        fault('lost', { tests: ['a.test.ts', 'b.test.ts'] }),
        fault('fits'),
      ]),
    },
    findings: ['replaced', 'gone', 'often', 'same', 'elsewhere', 'untested', 'lost', 'fits'].map(
      (id) => `${FAULTS}  ${id} does not fit its file or tests, or is there twice`,
    ),
  },
  styled: {
    files: {
      'src/apps/site/styles/app.css':
        "@source '../../../{apps/site,ui}';\n@source '../../../features/*/screens/**/*.{ts,tsx}';\n",
      'src/apps/console/console.css': "@source '../../ui';\n@source '../../features/**/console/**/*.tsx';\n",
      'src/ui/button.tsx': 'className',
      'src/apps/site/root.tsx': 'className',
      'src/client/toaster.tsx': 'className',
      'src/features/offers/screens/list/card.tsx': 'className',
      'src/features/offers/screens/list/classless.tsx': '<p>',
      'src/features/purchase/cart/screens/line.tsx': 'className',
      'src/features/purchase/cart/screens/line.test.tsx': 'className',
      'src/features/purchase/cart/console/lines.tsx': 'className',
      'src/features/purchase/cart/console/classes.ts': 'className',
    },
    findings: [
      'src/client/toaster.tsx:1  src/apps/site/styles/app.css has no @source that reaches it',
      'src/features/purchase/cart/screens/line.tsx:1  src/apps/site/styles/app.css has no @source that reaches it',
      'src/features/purchase/cart/console/classes.ts:1  src/apps/console/console.css has no @source that reaches it',
    ],
  },
  journeySteps: {
    files: {
      'test/http/a.test.ts': journey('test', 80),
      'test/e2e/a.e2e.ts': [
        journey('test', 79),
        journey('test', 80),
        journey('test', 90, "await annotate('The buyer pays')"),
        journey('test.runIf(isExtended).for([360])', 81),
        `test.for([\n${'360,\n'.repeat(80)}])('goes on', () => {})`,
      ].join('\n'),
    },
    findings: [
      'test/e2e/a.e2e.ts:80  a test of 80 lines names none of its steps',
      'test/e2e/a.e2e.ts:250  a test of 81 lines names none of its steps',
    ],
  },
} satisfies Record<string, HouseCanary>
