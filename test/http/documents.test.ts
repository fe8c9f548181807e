import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startDrandEmulator } from '../../emulators/drand/server.ts'
import { startWitnessEmulator } from '../../emulators/witness/server.ts'
import routes from '../../src/apps/site/routes.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { testDatabase } from '../support/database.ts'
import { insertDraw } from '../support/draws.ts'
import { namedAddresses, namedCommands } from '../support/document-names.ts'
import { routesOf } from '../support/printed-routes.ts'
import { openShop } from '../support/shop.ts'
import { PATIENCE } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

const root = path.resolve(import.meta.dirname, '../..')

describe('an address that a document names', async () => {
  const shop = await openShop({ pages: true, env: { METRICS_TOKEN: 'a token for the figures' } })
  const slug = 'un-dimanche-en-corvane-s4'
  await insertDraw(shop, { slug, stage: 'drawn' })
  const drand = await startDrandEmulator({ port: 0 })
  const witnesses = await startWitnessEmulator({ port: 0 })
  afterAll(() => Promise.all([drand.close(), witnesses.close()]))
  const { chains } = (await (
    await fetch(`${drand.url}/chains`)
  )
    .json()
    .then((list) => ({ chains: list }))) as {
    chains: string[]
  }

  const PAGES = routes
    .flatMap(({ children = [] }) => children)
    .filter(({ path: page }) => page !== '*')
    .map(({ path: page = '' }) => `GET /${page}`)
  /** Segments of a path, `*` where it takes anything. */
  const segments = (address: string): string[] =>
    address
      .replace(/\?.*$/, '')
      .split('/')
      .filter(Boolean)
      .map((part) => (/[:*{<…]|^[A-Z]+(-evidence\.zip)?$/.test(part) ? '*' : part))
  const fits = (address: string, route: string): boolean => {
    const [asked, given] = [segments(address), segments(route)]
    // `/api/staff/` names all that is below it.
    const isPrefix = address.endsWith('/') && given.length > asked.length
    if (!isPrefix && asked.length !== given.length && given.at(-1) !== '*') return false
    return asked.every((part, at) => part === '*' || given[at] === '*' || given[at] === part)
  }
  const shopRoutes = [...routesOf(shop.app), ...PAGES].filter((route) => !/^\w+ \/\*$/.test(route))
  const isOfShop = ({ method, address }: { method: string | undefined; address: string }): boolean =>
    shopRoutes.some((route) => {
      const [verb = '', at = ''] = route.split(' ')
      return (method === undefined || verb === method) && fits(address, at)
    })

  const filled = (address: string): string =>
    address
      .replaceAll(/\{slug\}|SLUG/g, slug)
      .replaceAll('{chain}', chains[0] ?? '')
      .replaceAll('{round}', '1')
      .replaceAll(/\{\w+\}|<\w+>|…|NAME/g, 'x')
  /** Whether an emulator has a route there: anything but its response to an address that it does not have. */
  const isOfEmulator = async (base: string, method: string, address: string): Promise<boolean> => {
    const response = await fetch(base + filled(address), { method })
    return !/Route .* not found|There is nothing at/.test(await response.text())
  }

  const addresses = namedAddresses()
  /** Files of a machine, or of a container. */
  const isFile = (address: string): boolean =>
    /^\/(?:etc|proc|var|srv|data)(?:\/|$)|^\/sbom\.cdx\.json$/.test(address)

  test('leads somewhere, in the shop or in an emulator', async () => {
    expect(addresses.length).toBeGreaterThan(75)
    const lost: string[] = []
    for (const one of addresses) {
      const { document, method = 'GET', address } = one
      if (isFile(address) || isOfShop(one)) continue
      const bases = [shop.paypal.url, drand.url, witnesses.url]
      const found = await Promise.all(bases.map((base) => isOfEmulator(base, method, address)))
      if (!found.includes(true)) lost.push(`${document}: ${one.method ?? ''} ${address}`)
    }
    expect(lost).toEqual([])
  })

  test.runIf(isExtended)('opens, where a browser can open it', async () => {
    const open = addresses.filter(
      (one) =>
        (one.method ?? 'GET') === 'GET' &&
        !one.document.startsWith('emulators/') &&
        !/^\/(?:api|media|api\/staff)\/$|^\/draws\/(?:log|checkpoint)/.test(one.address) &&
        !isFile(one.address) &&
        isOfShop(one) &&
        !/NAME|\{(?!slug)|<|…|\/staff\/|\?|leaf|consistency/.test(one.address),
    )
    const pages = [...new Set(open.map(({ address }) => filled(address)))]
    expect(pages.length).toBeGreaterThan(15)
    const refused: string[] = []
    for (const page of pages) {
      const { status } = await shop.anonymous('GET', page)
      // A page for somebody who is logged in, a call with a token, jobs without a worker, and a draw of another key.
      const isRight =
        [200, 302, 303, 308, 401].includes(status) ||
        (/^\/api\/health\/(jobs|ready)$/.test(page) && status === 503)
      if (!isRight) refused.push(`${page}: ${status}`)
    }
    expect(refused).toEqual([])
  })
})

/** How a command of a document is run. */
interface Way {
  is: RegExp
  /** In a copy of the project: alone, or while a demonstration runs from it. Or the file of the test that runs it. */
  where: 'copy' | 'demonstration' | 'no test' | `${string}.ts` | 'continuous integration'
  /** Replaces figures that would take hours, and names that stand for others. */
  as?: (command: string) => string
  /** What it prints. */
  prints?: RegExp
  code?: number
}

const small = (command: string): string =>
  command
    .replace(/^(npm run bench:hot)( --)?(?!.*--only)/, '$1 -- --only rates')
    .replace(/--(?:buyers) [\d,]+/, '')
    .replace(/--(?:seconds|turns|runs) \d+/, '')
    .replace(/$/, ' --buyers 2 --seconds 1 --turns 2 --storm 600')

const WAYS: readonly Way[] = [
  { is: /^npm (test|run test:extended)$/, where: 'continuous integration' },
  { is: /^npm run verify$/, where: 'continuous integration' },
  { is: /^npm (start|run dev)$|^DATA_DIR=\S+ npm start$/, where: 'tools/start.db.test.ts' },
  {
    is: /> secrets\/\w|^mkdir -p secrets|^cp settings\.env|^chown -R 999|^docker (?:build|run) |^docker compose (?:exec|config|run --rm migration)/,
    where: 'test/http/image.test.ts',
  },
  {
    is: /^runuser -u postgres |^systemctl (?:(?:re)?start|stop) (?:postgresql|volant-web@3001 .*volant-backup\.timer$)|^cp \/srv\/shop\/current\/deploy\/pgbackrest|^npm run sales -- (?:close|open) --reason|^chown postgres/,
    where: 'test/http/recovery.test.ts',
  },
  {
    is: /^(git clone|cd (source|volant)$|cd \/srv\/shop|mkdir |umask |ln -s |npm ci\b|npm run (release\b|build$)|chmod 600|rm \/srv|volant |\/srv\/shop\/releases\/|apt-get|useradd|su postgres|cp \/srv|cat fullchain|haproxy -c|systemd-creds|systemctl)/,
    where: 'test/http/deployment.test.ts',
  },
  // There is no Docker daemon where the tests run, and no cluster; a test reads the files that these commands start.
  { is: /^docker compose|^kubectl/, where: 'no test' },
  // They change accounts and the system of the machine itself.
  { is: /^(runuser -u|chown|sysctl|cp deploy\/fleet\/)/, where: 'no test' },
  {
    is: /^npm run check$|^npm run verify -- --keep-going/,
    where: 'copy',
    as: () => 'npm run verify -- format deps',
  },
  {
    is: /^npm run (lint|deps|format|spec|words|order-machine|proxy-pages|fonts|db:types|prepare|budgets)\b/,
    where: 'copy',
  },
  {
    is: /^npm run verifiers$/,
    where: 'copy',
    prints: /^\w{64} {2}\S+verify\.html\n\w{64} {2}\S+verify-draw\.py$/m,
  },
  {
    is: /^npm run verifiers -- --check/,
    where: 'demonstration',
    // A worker registers them within ten seconds.
    as: (line) => `sleep 15 && ${line.replace(/https:\S+/, 'http://localhost:$PORT')}`,
    prints: /verify-draw\.py: the same in the shop, the same in its register$/m,
  },
  { is: /^npm install --prefix tracing /, where: 'test/http/opentelemetry.test.ts' },
  { is: /^npm run lock:platforms$/, where: 'copy' },
  {
    is: /^npx node (tools\/settings-table|art\/site-picture)\.ts$|^npx vitest (run )?--project \w+ (src|test\/e2e)\//,
    where: 'copy',
  },
  { is: /^git (rev-parse HEAD|checkout)$|^openssl rand/, where: 'copy' },
  {
    is: /^npm sbom/,
    where: 'copy',
    as: () => 'npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx',
    prints: /CycloneDX/,
  },
  // The registry that this machine reaches may not respond to it.
  { is: /^npm audit/, where: 'copy', as: () => 'npm help audit' },
  {
    is: /^npm run chaos/,
    where: 'copy',
    as: (line) =>
      `${line.replace(/--(rounds|restarts|buyers) \w+/g, '')}${line.includes(' -- ') ? '' : ' --'} --rounds 1 --buyers 4`,
    prints: /every invariant held/,
  },
  { is: /^npm run fleet|^set -a && \. \S+ && patronictl/, where: 'test/http/fleet.test.ts' },
  { is: /^npm run bench:hot/, where: 'copy', as: small },
  {
    is: /^npm run bench:memory/,
    where: 'copy',
    as: () => 'npm run bench:memory -- --minutes 1 --rate 2 --report-only',
    prints: /^web +\d/m,
  },
  {
    is: /^npm run bench:pages/,
    where: 'copy',
    as: (line) =>
      `${line.replace(/--runs \d+/, '').replace('--json pages.json', '')}${line.includes(' -- ') ? '' : ' --'} --runs 1`,
  },
  {
    is: /^npm run screenshots/,
    where: 'copy',
    as: () => 'npm run screenshots -- --only rules/page --lang nl --width 360 --scheme dark',
  },
  {
    is: /^npm run mutation$/,
    where: 'copy',
    as: () => 'npm run mutation -- --mutate src/shared/money.ts --dryRunOnly',
  },
  {
    is: /^npm run planted-faults/,
    where: 'copy',
    as: () => 'npm run planted-faults -- tax-rounded-down',
    prints: /1 planted, 1 found/,
  },
  { is: /^VOLANT_TESTS=extended npx vitest/, where: 'continuous integration' },
  {
    is: /npm run fill\b/,
    where: 'copy',
    as: () => 'DATA_DIR=filled npm run fill -- --orders 20000 --tickets 100000 --customers 2000',
  },
  {
    is: /npm run bench:console/,
    where: 'copy',
    as: () => 'DATA_DIR=filled npm run bench:console -- --starts 1 --calls 1 --only order --report-only',
  },
  { is: /^npm run invariants/, where: 'demonstration', prints: /hold$/m },
  { is: /^npm run audit:verify$/, where: 'demonstration' },
  { is: /^npm run keys$/, where: 'demonstration', prints: /^Authenticators: /m },
  { is: /^npm run doctor$/, where: 'demonstration', prints: /^ok +Login at PayPal: /m },
  {
    is: /^npm run audit:verify -- --checkpoint/,
    where: 'demonstration',
    as: (line) => line.replace('9f86d081…', '9f86d081'.repeat(8)),
    code: 1,
    prints: /1207/,
  },
  {
    is: /^npm run staff/,
    where: 'demonstration',
    as: (line) => line.replace('<e-mail>', 'ada@shop.example'),
    code: 1,
    prints: /ada@shop\.example/,
  },
  {
    is: /^npm run register -- restore/,
    where: 'demonstration',
    as: (line) =>
      [
        'curl -s localhost:$PORT/draws/log.txt > register.txt',
        'curl -s localhost:$PORT/draws/checkpoints.txt > register-checkpoints.txt',
        line,
      ].join(' && '),
    code: 1,
    prints: /nothing is missing/,
  },
  { is: /^npm run upgrade -- --check$/, where: 'demonstration', prints: /Going back/ },
  { is: /^npm run customers/, where: 'demonstration', as: (line) => line.replace('1000', '20') },
  { is: /^sed -E /, where: 'demonstration', as: (line) => line.replace('3000', '$PORT'), prints: /\d+ 200/ },
  { is: /^npm run backup$/, where: 'demonstration', prints: /not encrypted/ },
  { is: /^npm run backup:rehearse$/, where: 'demonstration', prints: /can be restored/ },
  {
    is: /^npm run sales(?: -- (?:close|status))?$/,
    where: 'demonstration',
    as: () => 'npm run sales -- status',
    prints: / open /,
  },
  { is: /^npm run db:restore -- volant-\S+Z(?: --closed)?$/, where: 'tools/backup/whole-backup.db.test.ts' },
  {
    is: /^npm run alerts|^curl -s http:\/\/localhost:3000\/api\/health/,
    where: 'test/http/runbooks.test.ts',
  },
  {
    is: /^npm run db:move/,
    where: 'copy',
    as: (line) =>
      'export DATA_DIR=filled-and-moved; npm run fill -- --orders 500 --tickets 2500 --customers 100 && ' +
      line,
  },
  {
    is: /^curl -X POST localhost:3001/,
    where: 'demonstration',
    as: (line) => line.replace('localhost:3001', 'localhost:$PAYPAL_PORT'),
  },
  {
    is: /^curl -X POST localhost:3002/,
    where: 'demonstration',
    as: (line) => line.replace('localhost:3002', 'localhost:$DRAND_PORT'),
  },
  {
    is: /^node emulators\/(paypal|drand|tsa|witness)\/main\.ts$/,
    where: 'demonstration',
    as: (line) => `PORT=0 timeout --preserve-status -s TERM 5 ${line}`,
  },
]
const wayOf = (command: string): Way | undefined => WAYS.find(({ is }) => is.test(command))

const named = [...new Map(namedCommands().map((one) => [one.text, one.document])).entries()]

test('every command that a document names is run by a test, or changes the machine', () => {
  expect(named.length).toBeGreaterThan(60)
  const unknown = named.filter(([command]) => wayOf(command) === undefined)
  expect(unknown.map(([command, document]) => `${document}: ${command}`)).toEqual([])
  const unused = WAYS.filter(({ is }) => !named.some(([command]) => is.test(command)))
  expect(unused.map(({ is }) => is.source)).toEqual([])
  const files = WAYS.map(({ where }) => where).filter((where) => where.endsWith('.ts'))
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

/** What a command of another form does is done once. */
const runsOf = (where: Way['where']): [command: string, Way][] => [
  ...new Map(
    named.flatMap(([command]) => {
      const way = wayOf(command)
      const done = (way?.as?.(command) ?? command).replaceAll(/ {2,}/g, ' ')
      return way?.where === where ? [[done, way] as const] : []
    }),
  ),
]

const hasProxy = spawnSync('haproxy', ['-v']).error === undefined

/** The quick ones; the long form runs all. */
const QUICK = /^npm run (words|order-machine|proxy-pages)\b|^openssl|^git/

describe('a command that a document names', () => {
  let project = ''
  let env: Record<string, string> = {}

  beforeAll(() => {
    project = temporaryFolder('volant-documents-', 'file')
    const scratch = temporaryFolder('volant-documents-scratch-', 'file')
    const left = new Set(['node_modules', '.git', 'build', 'data', '.cache', '.react-router', '.screenshots'])
    for (const name of globSync(['*', '.*'], { cwd: root }))
      if (!left.has(name)) cpSync(path.join(root, name), path.join(project, name), { recursive: true })
    symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'))
    if (existsSync(path.join(root, 'build')))
      cpSync(path.join(root, 'build'), path.join(project, 'build'), { recursive: true })
    env = {
      ...bareEnvironment(),
      HOME: scratch,
      TMPDIR: scratch,
      ...(process.env.CHROME_PATH && { CHROME_PATH: process.env.CHROME_PATH }),
    }
    env['PATH'] = `${path.join(project, 'node_modules/.bin')}${path.delimiter}${env['PATH']}`
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'ignore' })
    git('init')
    writeFileSync(path.join(project, '.git/info/exclude'), 'filled*\n')
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@a.test', 'commit', '-m', 'a')
  })

  async function run(command: string, { prints = /^/, code = 0 }: Way): Promise<void> {
    const child = spawn('sh', ['-c', command], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
    const [ended] = (await once(child, 'close')) as [number | null]
    expect(output).not.toMatch(/^\s+at .*:\d+:\d+/m)
    expect(`${ended}\n${ended === code ? '' : output}`).toBe(`${code}\n`)
    expect(output).toMatch(prints)
  }

  /** The command with a database of this test in the place of the document's. */
  async function withTarget(command: string): Promise<string> {
    if (!command.includes('postgres:')) return command
    const target = await testDatabase({ empty: true })
    onTestFinished(() => target.close())
    return command.replace(/postgres:\S+/, `'${target.url}'`)
  }

  test.for(runsOf('copy').filter(([command]) => isExtended || QUICK.test(command)))(
    '%s',
    { timeout: 1_200_000 },
    async ([command, way], { skip }) => {
      skip(command.includes('haproxy') && !hasProxy, 'HAProxy is not installed')
      await run(await withTarget(command), way)
      // What a command writes is what is committed.
      expect(execFileSync('git', ['status', '--porcelain'], { cwd: project, encoding: 'utf8' })).toBe('')
    },
  )

  describe.runIf(isExtended)('while a demonstration runs', () => {
    let shop: ChildProcess
    beforeAll(async () => {
      env['DATA_DIR'] = path.join(project, 'data')
      mkdirSync(env['DATA_DIR'])
      shop = spawn('npm', ['start'], { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
      let printed = ''
      shop.stdout?.on('data', (part) => (printed += String(part)))
      await vi.waitUntil(() => printed.includes('Volant is ready.'), PATIENCE)
      const { ports } = JSON.parse(readFileSync(path.join(project, 'data/running.json'), 'utf8')) as {
        ports: Record<string, number>
      }
      for (const [name, port] of Object.entries(ports)) env[name] = String(port)
    })
    afterAll(async () => {
      shop.kill('SIGTERM')
      await once(shop, 'exit')
    })

    test.each(runsOf('demonstration'))('%s', async (command, way) => {
      await expect(run(command, way)).resolves.toBeUndefined()
    })
  })
})
