import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { PREVIEW_PATH } from '#features/offers/preview.contract.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { selfSignedCertificate } from '../../tools/testbed/haproxy.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { awake, newVisitor, sharedBrowser } from '../support/browser.ts'
import { seeScreen } from '../support/console.ts'
import {
  addButton,
  approve,
  arrive,
  beginPayment,
  fill,
  keepTokens,
  logIn,
  press,
  seeToast,
  wallet,
} from '../support/page-control.ts'
import { seenRoutes } from '../support/routes.ts'
import { testShop } from '../support/shop.ts'
import { PATIENCE, readinessOf } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'
import { words } from '../support/words.ts'

const root = path.resolve(import.meta.dirname, '../..')
const deploy = path.join(root, 'deploy/haproxy')
const isMissing = ['haproxy', 'openssl'].some((program) => spawnSync(program, ['-v']).error !== undefined)
const t = words('en')

/** Each of the three applications becomes another one in every file that imports its first. */
const CHANGED = [
  'src/apps/site/entry.client.tsx',
  'src/apps/console/main.tsx',
  'src/apps/site/preview/main.tsx',
]

/** Makes a release of the sources, which `change` has changed, and unpacks it. @returns its folder */
function release(folder: string, name: string, change: (sources: string) => void): string {
  const sources = path.join(folder, `sources-${name}`)
  mkdirSync(sources)
  const isWanted = (file: string) =>
    !/^(?:node_modules|build|data|\.git|test)(?:\/|$)/.test(path.relative(root, file))
  cpSync(root, sources, { recursive: true, filter: isWanted })
  symlinkSync(path.join(root, 'node_modules'), path.join(sources, 'node_modules'))
  change(sources)
  const made = path.join(folder, `made-${name}`)
  execFileSync(process.execPath, ['tools/release.ts', '--to', made], { cwd: sources, env: bareEnvironment() })
  const releases = path.join(folder, `releases-${name}`)
  mkdirSync(releases)
  const [tarball = ''] = globSync('*.tar.gz', { cwd: made })
  execFileSync('sh', ['-c', `sha256sum --check --quiet ${tarball}.sha256`], { cwd: made })
  execFileSync('tar', ['xzf', path.join(made, tarball), '-C', releases])
  return path.join(releases, globSync('*', { cwd: releases })[0]!)
}

/** Addresses of the files that pages of a release name, with their content. */
const assetsOf = (folder: string): [address: string, content: Buffer][] =>
  (
    [
      ['client/assets', '/assets/'],
      ['client/fonts', '/fonts/'],
      ['console/assets', '/admin/assets/'],
      ['preview/assets', `${PREVIEW_PATH}assets/`],
    ] as const
  ).flatMap(([from, address]) =>
    globSync('*', { cwd: path.join(folder, 'build', from) })
      .filter((name) => !/\.(?:br|gz)$/.test(name))
      .map((name): [string, Buffer] => [
        address + name,
        readFileSync(path.join(folder, 'build', from, name)),
      ]),
  )

describe.runIf(isExtended && !isMissing)('two releases behind HAProxy on one database', async () => {
  if (!isExtended || isMissing) return
  const folder = temporaryFolder('volant-releases-', 'file')
  chmodSync(folder, 0o755)
  const before = release(folder, 'before', () => undefined)
  const after = release(folder, 'after', (sources) => {
    for (const file of CHANGED)
      appendFileSync(path.join(sources, file), "\ndocument.documentElement.dataset.release = 'after'\n")
  })
  const shop = await testShop()
  const [plain, secure, ...ports] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const url = `https://localhost:${secure}`
  const { withKey } = selfSignedCertificate(temporaryFolder('volant-releases-tls-', 'file'))
  const running: ChildProcess[] = []

  function run(command: string, args: string[], cwd: string, env: Record<string, string>): ChildProcess {
    const child = spawn(command, args, {
      cwd,
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    running.push(child)
    return child
  }
  async function start(release: string, port: number): Promise<ChildProcess> {
    const child = run(path.join(release, 'node_modules/.bin/node'), ['tools/run-process.mjs'], release, {
      ROLES: 'web',
      PORT: String(port),
      PUBLIC_URL: url,
      TRUST_PROXY: 'true',
      DATABASE_URL: shop.url,
      DATA_DIR: path.join(folder, 'data'),
      SECRET_KEY: shop.secret,
      PAYPAL_BASE_URL: shop.paypal.url,
      DRAIN_SECONDS: '3',
      LOG_LEVEL: 'error',
    })
    await vi.waitUntil(async () => (await readinessOf(port))[0] === 200, PATIENCE)
    return child
  }
  mkdirSync(path.join(folder, 'data'))
  const [first] = [await start(before, ports[0]!), await start(after, ports[1]!)]
  run('haproxy', ['-db', '-f', path.join(deploy, 'haproxy.cfg')], folder, {
    SHOP_TRIAL: 'yes',
    SHOP_AWAY: deploy,
    SHOP_HTTP: `127.0.0.1:${plain}`,
    SHOP_HTTPS: `127.0.0.1:${secure}`,
    SHOP_CERTIFICATE: withKey,
    SHOP_WEB_1: `127.0.0.1:${ports[0]}`,
    SHOP_WEB_2: `127.0.0.1:${ports[1]}`,
  })
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL')
    await Promise.all(
      running.map(async (child) => child.exitCode ?? child.signalCode ?? (await once(child, 'exit'))),
    )
    await shop.close()
  })
  await vi.waitUntil(
    () =>
      fetch(`${url}/api/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    PATIENCE,
  )
  await shop.newOffer({ slug: 'ouverte', total_tickets: 500 })

  const visit = async () => {
    const options = { baseUrl: url, width: 1440, language: 'en', ignoreHTTPSErrors: true } as const
    return await newVisitor(await sharedBrowser(), options)
  }

  test('they are two: most files of one are not files of the other', () => {
    const [old, next] = [before, after].map((one) => new Set(assetsOf(one).map(([address]) => address)))
    const gone = [...old!].filter((address) => !next!.has(address))
    expect(gone.length).toBeGreaterThan(20)
    expect(gone.filter((address) => address.startsWith('/admin/'))).not.toEqual([])
  })

  test('each process serves every file of both, byte for byte', async () => {
    for (const [address, content] of [before, after].flatMap(assetsOf)) {
      for (const port of ports) {
        const response = await fetch(`http://127.0.0.1:${port}${address}`)
        expect(`${address} ${response.status}`).toBe(`${address} 200`)
        expect(content.equals(Buffer.from(await response.arrayBuffer())), address).toBe(true)
      }
    }
  })

  /** Walks through every page by the proxy; each file and call comes from either process. */
  async function walk(faults: string[], goto: (path: string) => Promise<void>) {
    for (const { path: page, kind } of seenRoutes) {
      if (kind === 'demo' || kind === 'missing') continue
      await goto(page)
      expect(faults, page).toEqual([])
    }
  }

  /** Somebody on the cart page, who can pay two tickets with the provider's button. */
  async function payer() {
    const customer = await shop.newCustomer()
    const visitor = await visit()
    const { page } = visitor
    await page.goto('/contact')
    await keepTokens(page, { ...(await shop.sessionOf(customer)), billing_country: 'BE' })
    const { id } = await shop.db
      .selectFrom('offers')
      .select('id')
      .where('slug', '=', 'ouverte')
      .executeTakeFirstOrThrow()
    await customer.add(id, 2)
    await page.goto('/cart')
    await wallet(page).waitFor()
    const arrived = async () => {
      await page.waitForURL(/\/profile\/participations/)
      await seeToast(page, t('checkout.success'))
      expect(await shop.ticketCount(customer)).toBe(2)
      expect(visitor.faults).toEqual([])
      await visitor.close()
    }
    return { ...visitor, arrived }
  }

  /** Buys two tickets by the proxy alone. */
  async function buy(): Promise<number> {
    const customer = await shop.newCustomer()
    const { access } = await shop.sessionOf(customer)
    const call = async (address: string, body: object) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${access}` }
      const response = await fetch(url + address, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(`${address} ${response.status}`).toBe(`${address} 200`)
      return (await response.json()) as { order_id: string; tickets: object[] }
    }
    const { id } = await shop.db
      .selectFrom('offers')
      .select('id')
      .where('slug', '=', 'ouverte')
      .executeTakeFirstOrThrow()
    await call(`/api/cart/${customer.cartId}/add_item/`, { offer_id: id, quantity: 2 })
    const { order_id } = await call('/api/paypal/create-order/', { country_code: 'BE' })
    await shop.paypal.approve(order_id, 'buyer@buyer.test')
    return (await call('/api/paypal/capture-payment/', { order_id })).tickets.length
  }

  test('every page shows and responds, somebody logs in, buys and uses the console; the switch in the middle is not noticed', async ({
    annotate,
  }) => {
    const customer = await shop.newCustomer()

    await annotate('Every page shows')
    const { page, context, faults, close } = await visit()
    const failed: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
    })
    await walk(faults, async (target) => {
      await page.goto(target)
      await awake(page)
    })

    await annotate('A customer logs in and puts a ticket into the cart')
    await page.goto('/login')
    await awake(page)
    await logIn(page, t, customer)
    await page.waitForURL(({ pathname }) => pathname !== '/login')
    await page.goto('/offers/ouverte')
    await awake(page)
    await addButton(page, t).click()
    await page.getByRole('link', { name: t('offers.buy.seeCart', { count: 1 }) }).click()
    await arrive(page, '/cart')

    await annotate('Staff sign in to the console')
    const staff = await shop.newStaff('owner')
    const desk = await context.newPage()
    await desk.goto('/admin/sign-in')
    await fill(desk, {
      [t('console.signIn.email')]: staff.email,
      [t('console.signIn.password')]: staff.password,
    })
    await press(desk, t('console.signIn.submit'))
    await desk.waitForURL(({ pathname }) => pathname !== '/admin/sign-in')
    await seeScreen(desk)

    await annotate('Buyers go on buying while the new release takes the place of the old one')
    // Three of them are in browsers, and begin and finish their payment before, in the middle and after.
    const [early, middle, late] = [await payer(), await payer(), await payer()]
    const begun = [await beginPayment(early), await beginPayment(late)] as const
    let isSwitching = true
    const buying = (async () => {
      let bought = 0
      while (isSwitching) bought += await buy()
      return bought
    })()
    first.kill('SIGTERM')
    const gone = once(first, 'exit')
    await approve(begun[0])
    const between = await beginPayment(middle)
    await approve(between)
    await Promise.all([early.arrived(), middle.arrived()])
    await gone
    await start(after, ports[0]!)
    await approve(begun[1])
    await late.arrived()
    isSwitching = false
    expect(await buying).toBeGreaterThan(1)

    await annotate('The links of the open tabs lead on')
    // The open tabs are of the release that is gone, or not: their links lead on.
    for (const link of ['/offers', '/draws', '/contact']) {
      await page.locator(`a[href="${link}"]`).filter({ visible: true }).first().click()
      await arrive(page, link)
      await awake(page)
    }
    for (const link of ['/admin/offers', '/admin/customers', '/admin/system']) {
      await desk.locator(`a[href="${link}"]`).filter({ visible: true }).first().click()
      await arrive(desk, link)
      await seeScreen(desk)
      expect(await desk.locator('main').innerText()).not.toContain(t('console.common.failed'))
    }

    await annotate('The shop still has the files of the old release')
    for (const [address, content] of assetsOf(before)) {
      const response = await fetch(url + address)
      expect(`${address} ${response.status}`).toBe(`${address} 200`)
      expect(content.equals(Buffer.from(await response.arrayBuffer())), address).toBe(true)
    }
    expect({ faults, failed }).toEqual({ faults: [], failed: [] })
    await close()
  })

  test('a migration that fails half-way changes nothing, and one that does not lets both releases sell on', async () => {
    const migrations = globSync('*.sql', { cwd: path.join(root, 'db/migrations') }).length
    const file = `${String(migrations + 1).padStart(4, '0')}-later.sql`
    const begin = '-- Later.\n-- Going back: yes\n\nALTER TABLE offers ADD COLUMN later int;\n'
    const withMigration = (name: string, end: string) =>
      release(folder, name, (sources) =>
        writeFileSync(path.join(sources, 'db/migrations', file), begin + end),
      )
    const [broken, mended] = [withMigration('broken', 'SELECT 1 / 0;\n'), withMigration('mended', '')]
    const has = async (): Promise<boolean> => {
      const { rows } = await shop.pool.query(
        `SELECT FROM information_schema.columns WHERE table_name = 'offers' AND column_name = 'later'`,
      )
      return rows.length > 0
    }
    /** Runs a program of a release while somebody buys. */
    async function whileBuying(from: string, program: string) {
      const child = spawn(path.join(from, 'node_modules/.bin/node'), [program], {
        cwd: from,
        env: {
          ...bareEnvironment(),
          ROLES: 'web',
          PORT: String(await freePort()),
          DATABASE_URL: shop.url,
          DATA_DIR: path.join(folder, 'data'),
          SECRET_KEY: shop.secret,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const said = Promise.all([text(child.stdout), text(child.stderr)])
      const ended = once(child, 'exit')
      let isRunning = true
      void ended.then(() => (isRunning = false))
      let bought = 0
      while (isRunning) bought += await buy()
      const [code] = (await ended) as [number]
      return { code, said: (await said).join(''), bought }
    }
    for (const program of ['tools/upgrade.ts', 'tools/run-process.mjs']) {
      const { code, said, bought } = await whileBuying(broken, program)
      expect([code, await has()], said).toEqual([1, false])
      expect(said).toContain(`${file} failed and changed nothing: division by zero`)
      expect(said).not.toMatch(/^\s+at /m)
      expect(bought).toBeGreaterThan(0)
    }
    const { code, said } = await whileBuying(mended, 'tools/upgrade.ts')
    expect([code, await has()], said).toEqual([0, true])
    expect(await buy()).toBe(2)
    // Nothing that was bought meanwhile is missing.
    await shop.paypal.webhooksIdle()
    const ours = (await shopInvariants()).filter(({ name }) => name !== 'I5')
    expect(await checkInvariants(shop.db, ours)).toEqual([])
  })

  test('going back: the release of before starts again on the newer database, and sells', async () => {
    await start(before, await freePort())
    expect(await buy()).toBe(2)
  })

  test('a release copied in part does not start, and says why', () => {
    const part = path.join(folder, 'part')
    cpSync(before, part, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !file.includes('/src/features/purchase/cart'),
    })
    const { status, stderr } = spawnSync(
      path.join(part, 'node_modules/.bin/node'),
      ['tools/run-process.mjs'],
      {
        cwd: part,
        env: bareEnvironment(),
        encoding: 'utf8',
      },
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /part is not a whole release: these files are not as released: src\/features\/purchase\/cart/,
    )
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
