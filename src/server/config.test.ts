import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { createChain } from '../../emulators/drand/chain.ts'
import { defaults } from '../../emulators/drand/settings.ts'
import { PUBLIC_CHAINS } from '#platform/beacon/chains.ts'
import {
  type ConfigFaults,
  SECRET_NAMES,
  givenDatabaseUrl,
  publicSettings,
  readConfig,
  secretKey,
  settingsInForce,
} from './config.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { byLanguage } from '#shared/text-fields.ts'
import { SETTINGS } from './settings.ts'

const LIVE = {
  MODE: 'live',
  PUBLIC_URL: 'https://shop.example',
  SECRET_KEY: 'k'.repeat(32),
  LOG_KEY: '5e'.repeat(32),
  PAYPAL_BASE_URL: 'https://api-m.paypal.com',
  PAYPAL_CLIENT_ID: 'real-id',
  PAYPAL_CLIENT_SECRET: 'real-secret',
  PAYPAL_WEBHOOK_ID: 'real-webhook',
  COMPANY_NAME: 'Real Cars Ltd',
  COMPANY_NUMBER: '12345678',
  COMPANY_ADDRESS: '2 Real Street, London',
  POSTAL_ADDRESS: 'Freepost, London',
  CONTACT_EMAIL: 'help@real-cars.example',
  SMTP_URL: 'smtps://shop:secret@mail.example',
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as ConfigFaults).faults
  }
}

const fault = (name: string, expected = '') => [
  expect.stringMatching(new RegExp(`^${name}: expected ${expected}`)),
]

describe('settings', () => {
  test('an empty environment gives the demo; every setting has a name of its own and a valid default', () => {
    const config = readConfig({})
    expect(config).toMatchObject({ mode: 'demo', port: 3000, publicUrl: 'http://localhost:3000', demo: true })
    expect(config.paypalSdkUrl).toBe(config.paypalBaseUrl)
    const names = Object.values(SETTINGS).map((one) => one.name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('every fault is listed at once, with the name of the setting and what was expected', () => {
    const given = { PORT: '99999', PUBLIC_URL: 'shop', TIME_ZONE: 'Mars/Base', HIDE_ANSWER: 'maybe' }
    const faults = faultsOf(given)
    expect(faults).toContain('PORT: expected a number from 1 to 65535, found "99999"')
    expect(faults.map((line) => line.split(':')[0])).toEqual(Object.keys(given))
  })

  test('a picture is an address or a path', () => {
    const [hero, sport] = ['https://cdn.example/h.webp', '/media/s.webp']
    const config = readConfig({ HERO_PICTURE_URL: hero, CATEGORY_SPORT_PICTURE_URL: sport })
    expect(publicSettings(config).pictures).toEqual({
      hero,
      sport,
      electric: null,
      everyday: null,
      operator: null,
    })
    for (const bad of ['//cdn.example/hero.webp', 'hero.webp', 'javascript:alert(1)', '/a b', 'https://'])
      expect(faultsOf({ HERO_PICTURE_URL: bad }), bad).toEqual(fault('HERO_PICTURE_URL', 'an address'))
  })

  test('a text about the company is one for all languages, or one for each', () => {
    const form = byLanguage((language) => `company (${language})`)
    const { companyForm, companyRegister, companyLaw } = readConfig({
      COMPANY_FORM: LANGUAGES.toReversed()
        .map((language) => `${language}: ${form[language]}`)
        .join(' |  '),
      COMPANY_REGISTER: 'Handelsregister: Köln',
    })
    expect(companyForm).toEqual(form)
    expect(companyRegister).toMatchObject({ fr: 'Handelsregister: Köln', nl: 'Handelsregister: Köln' })
    expect(companyLaw).toBeUndefined()
    const bad = {
      COMPANY_COUNTRY: 'Belgium',
      COMPANY_FORM: 'fr: société | nl: vennootschap',
      COMPANY_REGISTER: 'fr: un | nl: twee | nl: drie',
      COMPANY_LAW: 'fr:',
      COMPANY_COURTS: 'fr: un | deux | en: two',
    }
    const faults = faultsOf(bad)
    expect(faults.map((line) => line.split(':')[0])).toEqual(Object.keys(bad))
    expect(faults[1]).toBe(
      `COMPANY_FORM: expected one text for all languages, or "${LANGUAGES.map((language) => `${language}: …`).join(' | ')}", found "fr: société | nl: vennootschap"`,
    )
  })

  test('the number of the company leads to its register, where its address is known', () => {
    const register = (env: Record<string, string>) => publicSettings(readConfig(env)).company.registerUrl
    expect(register({ COMPANY_NUMBER: 'SC123456' })).toBe(
      'https://find-and-update.company-information.service.gov.uk/company/SC123456',
    )
    expect(register({ COMPANY_COUNTRY: 'BE' })).toBeNull()
    const own = 'https://register.example/azur'
    expect(register({ COMPANY_COUNTRY: 'BE', COMPANY_REGISTER_URL: own })).toBe(own)
    expect(faultsOf({ COMPANY_REGISTER_URL: 'register' })).toEqual(
      fault('COMPANY_REGISTER_URL', 'an address'),
    )
  })

  test('the operator is who the settings name, and somebody invented in a demonstration alone', () => {
    const operator = (env: Record<string, string>) => publicSettings(readConfig(env)).operator
    expect(operator({})).toMatchObject({ name: expect.any(String), isInvented: true })
    expect(operator(LIVE)).toBeNull()
    const named = { ...LIVE, OPERATOR_NAME: 'Ada Vermeulen', OPERATOR_WORDS: 'fr: un | nl: een | en: one' }
    const words = { fr: 'un', nl: 'een', en: 'one' }
    expect(operator(named)).toEqual({ name: 'Ada Vermeulen', words, isInvented: false })
    for (const alone of ['OPERATOR_WORDS', 'OPERATOR_PICTURE_URL'])
      expect(faultsOf({ [alone]: '/media/ada.webp' })).toEqual(fault('OPERATOR_NAME', 'a name beside'))
  })

  test('the three keys of the e-mail service are given together; blocked senders are a list', () => {
    expect(faultsOf({ EMAILJS_PUBLIC_KEY: 'abc' })[0]).toContain('all three or none')
    expect(readConfig({}).contactBlocked).toBeUndefined()
    const { contactBlocked } = readConfig({ CONTACT_BLOCKED: ' a@b.test, @c.test ,' })
    expect(contactBlocked).toEqual(['a@b.test', '@c.test'])
  })

  test('TRUST_PROXY says how many proxies are trusted, or in which networks they are', () => {
    const trusted = (text: string) => readConfig({ TRUST_PROXY: text }).trustProxy
    expect(['false', 'true', '3', '10'].map(trusted)).toEqual([false, 1, 3, 10])
    for (const [text, networks] of [
      ['10.0.0.0/8,2001:db8::/32', ['10.0.0.0/8', '2001:db8::/32']],
      ['192.0.2.7', ['192.0.2.7']],
      [' ::1 , 127.0.0.1/32, ::ffff:192.0.2.0/120', ['::1', '127.0.0.1/32', '::ffff:192.0.2.0/120']],
    ] as const)
      expect(trusted(text)).toEqual(networks)
  })

  test.each([
    '11',
    '0',
    '-1',
    'yes',
    'loopback',
    'proxy.example',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/255.0.0.0',
    '10.0.0/8',
    '256.0.0.1',
    '10.0.0.1:443',
    '[2001:db8::1]',
    'fe80::1%eth0',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8,',
    '10.0.0.0/8 2001:db8::/32',
    '10.0.0.0/8;2001:db8::/32',
    '10.0.0.0/8,2',
    ',',
  ])('TRUST_PROXY=%s is refused with an example of what is expected', (text) => {
    expect(faultsOf({ TRUST_PROXY: text })).toEqual([
      `TRUST_PROXY: expected true, false, the number of proxies up to 10, or a list of addresses and networks such as 10.0.0.0/8,2001:db8::/32, found ${JSON.stringify(text)}`,
    ])
  })
})

describe('live mode', () => {
  test('accepts settings of its own', () => {
    const paypalSdkUrl = 'https://www.paypal.com'
    expect(readConfig(LIVE)).toMatchObject({ mode: 'live', demo: false, paypalSdkUrl })
  })

  test('refuses emulator, demo secrets and plain http, all in one list', () => {
    const names = faultsOf({ MODE: 'live' }).map((line) => line.split(':')[0])
    expect(names).toEqual(Object.keys(LIVE).slice(1))
  })

  const providers = ['http://api-m.paypal.com', 'https://paypal.com.evil.example']
  test.each([...providers, 'https://api-m.sandbox.paypal.com'])(
    'refuses %s as the payment provider',
    (address) => {
      expect(faultsOf({ ...LIVE, PAYPAL_BASE_URL: address })).toHaveLength(1)
    },
  )

  test('refuses a mail server whose certificate is not verified', () => {
    const url = `${LIVE.SMTP_URL}?tls.rejectUnauthorized=`
    const faults = ['SMTP_URL: live mode expects a mail server whose certificate is verified']
    for (const off of ['false', '0']) expect(faultsOf({ ...LIVE, SMTP_URL: url + off })).toEqual(faults)
    const encoded = `${LIVE.SMTP_URL}?tls%2ErejectUnauthorized=false`
    expect(faultsOf({ ...LIVE, SMTP_URL: encoded })).toEqual(faults)
    expect(faultsOf({ ...LIVE, SMTP_URL: `${url}true` })).toEqual([])
  })

  test('posts alerts over TLS, or within its own network', () => {
    const posts = (address: string) => faultsOf({ ...LIVE, ALERT_WEBHOOK_URL: address })
    const inner = [
      'http://10.0.0.5:9093/api/v2/alerts',
      'http://[fd00::5]/x',
      'http://alertmanager:9093/x',
      'http://127.0.0.1/x',
    ]
    for (const address of ['https://hooks.slack.com/services/T/B/x', ...inner])
      expect(posts(address), address).toEqual([])
    const plain = [expect.stringMatching(/^ALERT_WEBHOOK_URL: live mode expects an https:\/\/ address/)]
    for (const address of [
      'http://ntfy.sh/topic',
      'http://fc-news.example/x',
      'http://203.0.113.7/x',
      'http://10.example.com/x',
    ])
      expect(posts(address), address).toEqual(plain)
  })

  test('is the only mode that takes real money', () => {
    for (const address of ['https://api-m.paypal.com', 'http://api.paypal.com', 'https://www.paypal.com'])
      expect(faultsOf({ PAYPAL_BASE_URL: address })).toEqual([
        expect.stringContaining('PAYPAL_BASE_URL: demo mode'),
      ])
    expect(faultsOf({ PAYPAL_BASE_URL: 'https://api-m.sandbox.paypal.com' })).toEqual([])
  })

  test.for<[country: string, rights: string[], wrongs: string[]]>([
    [
      'GB',
      ['01234567', 'SC123456', 'R0000123', 'OC 301234'],
      ['1234567', '123456789', 'sc123456', 'none', '0000000'],
    ],
    ['BE', ['0123.456.749', '1234567890'], ['BE 123', '123.456.749']],
    ['FR', ['123 456 782'], ['12345678']],
    ['NL', ['12345678'], ['1234567']],
    ['DE', ['HRB 4711'], ['in registration', '0']],
  ])('refuses a number that the register of %s has for no company', ([country, rights, wrongs]) => {
    const given = (number: string) => faultsOf({ ...LIVE, COMPANY_COUNTRY: country, COMPANY_NUMBER: number })
    for (const right of rights) expect(given(right), right).toEqual([])
    for (const wrong of wrongs)
      expect(given(wrong), wrong).toEqual([
        expect.stringMatching(
          `^COMPANY_NUMBER: live mode expects .+ for a company of ${country}, see COMPANY_COUNTRY$`,
        ),
      ])
  })

  test('refuses a factor of limits', () => {
    expect(readConfig({ LIMITS_FACTOR: '2.5' }).limitsFactor).toBe(2.5)
    for (const bad of ['0', '-1', '1e9', '1000001']) expect(faultsOf({ LIMITS_FACTOR: bad })).toHaveLength(1)
    expect(faultsOf({ ...LIVE, LIMITS_FACTOR: '10' })).toEqual(['LIMITS_FACTOR: live mode expects 1'])
    expect(faultsOf({ ...LIVE, LIMITS_FACTOR: '1' })).toEqual([])
  })
})

describe('a secret in a file', () => {
  const SECRETS: Record<string, string> = {
    ...LIVE,
    DEMO_TOKEN: 'a-token-of-the-demonstration',
    DATABASE_URL: 'postgres://volant:secret@db.example/volant',
    DATABASE_READ_URL: 'postgres://volant:secret@standby.example/volant',
    METRICS_TOKEN: 'a token for the figures',
    SECRET_KEY_PREVIOUS: 'p'.repeat(32),
    BACKUP_COPY_COMMAND: 'rclone copy {} elsewhere:',
    ALERT_WEBHOOK_URL: 'https://alerts.example/api/v2/alerts',
  }
  const fileOf = (text: string): string => {
    const file = path.join(temporaryFolder(), 'secret')
    writeFileSync(file, text)
    return file
  }
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(LIVE).filter(([one]) => one !== name))

  test('is one of every setting that is named like a secret, or may have a password in it', () => {
    const OTHERS = [
      'DATABASE_URL',
      'DATABASE_READ_URL',
      'SMTP_URL',
      'BACKUP_COPY_COMMAND',
      'ALERT_WEBHOOK_URL',
    ]
    const named = Object.values(SETTINGS)
      .map(({ name }) => name)
      .filter((name) => /SECRET|KEY|TOKEN|PASSWORD/.test(name) || OTHERS.includes(name))
    // What browsers get, a rule for passwords, and a key that opens nothing.
    const open = new Set(['EMAILJS_PUBLIC_KEY', 'PASSWORD_POLICY', 'BACKUP_PUBLIC_KEY'])
    expect(SECRET_NAMES.toSorted()).toEqual(named.filter((one) => !open.has(one)).toSorted())
  })

  test.each(SECRET_NAMES)('counts like %s itself, without the white space around it', (name) => {
    const value = SECRETS[name] ?? ''
    const given = { ...without(name), [`${name}_FILE`]: fileOf(`\n  ${value}\n`) }
    expect(readConfig(given)).toEqual(readConfig({ ...LIVE, [name]: value }))
    // An empty variable is none.
    expect(readConfig({ ...given, [name]: ' ' })).toEqual(readConfig(given))
  })

  test.each(SECRET_NAMES)(
    'is refused beside %s, and where it cannot be read, by one line without its value',
    (name) => {
      const value = SECRETS[name] ?? ''
      const variable = `${name}_FILE`
      const [good, empty, folder] = [fileOf(value), fileOf(' \n'), temporaryFolder()]
      const cases: [file: string, both: string, fault: string][] = [
        [good, value, `expected this or ${name}, found both`],
        ['/nowhere/at-all', '', 'cannot read /nowhere/at-all (ENOENT)'],
        [folder, '', `cannot read ${folder} (EISDIR)`],
        [empty, '', `expected the value of ${name} in ${empty}, found an empty file`],
      ]
      for (const [file, both, found] of cases)
        expect(faultsOf({ ...without(name), [variable]: file, [name]: both })).toEqual([
          `${variable}: ${found}`,
        ])
    },
  )

  test('is not shown when it is wrong, and several faults are listed at once', () => {
    const short = fileOf('too short and secret')
    const smtp = { SMTP_URL: 'smtps://mail.example', SMTP_URL_FILE: short }
    expect(faultsOf({ SECRET_KEY_FILE: short, ...smtp, PORT: 'x' })).toEqual([
      'SMTP_URL_FILE: expected this or SMTP_URL, found both',
      'PORT: expected a number from 1 to 65535, found "x"',
      `SECRET_KEY: expected at least 32 characters, found something else in ${short}`,
    ])
  })

  test('gives commands the address of the database as well', () => {
    const url = SECRETS['DATABASE_URL'] ?? ''
    expect(givenDatabaseUrl({ DATABASE_URL_FILE: fileOf(`${url}\n`) })).toBe(url)
    expect(givenDatabaseUrl({ DATABASE_URL: url })).toBe(url)
    expect(givenDatabaseUrl({ DATABASE_URL: '' })).toBeUndefined()
    expect(() => givenDatabaseUrl({ DATABASE_URL_FILE: '/nowhere' })).toThrow(
      'DATABASE_URL_FILE: cannot read',
    )
  })
})

describe('the beacon', () => {
  const { quicknet } = PUBLIC_CHAINS
  const chain = { ...quicknet, hash: 'ab'.repeat(32), genesis: 1 }

  test('is the public network with its relays, or any other in a demonstration', () => {
    expect(readConfig({}).beaconChain).toBe(quicknet)
    expect(readConfig({}).beaconUrls[0]).toBe('https://api.drand.sh')
    expect(readConfig({ BEACON_CHAIN: quicknet?.hash }).beaconChain).toBe(quicknet)
    const BEACON_URLS = 'http://localhost:3002/, https://relay.example/drand'
    const config = readConfig({ BEACON_URLS, BEACON_CHAIN: JSON.stringify(chain) })
    expect(config.beaconChain).toEqual(chain)
    expect(config.beaconUrls).toEqual(['http://localhost:3002', 'https://relay.example/drand'])
  })

  test.each([
    'fastnet',
    'constructor',
    'ab'.repeat(32),
    '{}',
    '{',
    JSON.stringify({ ...chain, publicKey: 'ab'.repeat(96) }),
    JSON.stringify({ ...chain, scheme: 'pedersen-bls-chained' }),
    JSON.stringify({ ...chain, period: 0 }),
    JSON.stringify({ ...chain, seed: 'x' }),
  ])('has a fault: %s', (given) => {
    expect(faultsOf({ BEACON_CHAIN: given })).toEqual(
      fault('BEACON_CHAIN', 'quicknet, its hash, or JSON with'),
    )
  })

  test('has relays with addresses', () => {
    for (const bad of ['drand', 'https://a.example,', 'ftp://a.example', ','])
      expect(faultsOf({ BEACON_URLS: bad }), bad).toEqual(fault('BEACON_URLS', 'addresses that begin with'))
  })

  test('is the public network in live mode, every byte of it', () => {
    const faults = ['BEACON_CHAIN: live mode expects quicknet, the public network']
    const otherKey = { ...quicknet, publicKey: createChain(defaults).pin.publicKey }
    for (const other of [chain, otherKey, { ...quicknet, period: 30 }, { ...quicknet, genesis: 1 }])
      expect(faultsOf({ ...LIVE, BEACON_CHAIN: JSON.stringify(other) })).toEqual(faults)
    for (const same of ['quicknet', quicknet?.hash ?? '', JSON.stringify(quicknet)])
      expect(faultsOf({ ...LIVE, BEACON_CHAIN: same })).toEqual([])
  })
})

describe('a limit', () => {
  test('has a count with a time by account, by network and in all', () => {
    expect(readConfig({ LIMIT_STRICT: 'all 7/2d, address 5/90s, account 3/1h' }).limitStrict).toEqual({
      account: { count: 3, seconds: 3_600 },
      all: { count: 7, seconds: 172_800 },
      address: { count: 5, seconds: 90 },
    })
  })

  test.each([
    'account 5/1h, address 5/1h',
    'account 5/1h, address 5/1h, all 7/1h, contest 3/1h',
    'account 5/1h, address 5/1h, place 7/1h',
    'account 5/1h, address 5/1h, address 5/1h',
    'account 5/1h, address 5/1h, address 5/1h, all 7/1h',
    'account 5/1h, address 0/1h, all 7/1h',
    'account 5/1h, address 5/1y, all 7/1h',
    'account 5/1h, address 5/31d, all 7/1h',
    'nonsense',
  ])('%j is a fault', (text) => {
    const expected = 'counts with s, m, h or d: account 9/1h, address 9/1h, all 9/1h, found '
    expect(faultsOf({ LIMIT_STRICT: text })).toEqual(fault('LIMIT_STRICT', expected))
  })
})

test('the console marks settings that are not the default, lists and limits too', () => {
  const set = (env: Record<string, string>) =>
    settingsInForce(readConfig(env)).flatMap(({ name, is_set }) => (is_set ? [name] : []))
  // These follow from others.
  expect(set({})).toEqual(['PUBLIC_URL', 'PAYPAL_SDK_URL', 'MAIL_FROM'])
  const changed = {
    ROLES: 'web',
    BEACON_URLS: 'https://api.drand.sh',
    LIMIT_STRICT: 'account 1/1h, address 9/1h, all 9/1h',
  }
  expect(set(changed)).toEqual(expect.arrayContaining(Object.keys(changed)))
})

test('a browser sees no secret', () => {
  const shown = JSON.stringify(publicSettings(readConfig(LIVE)))
  for (const secret of ['real-secret', 'real-webhook', LIVE.SECRET_KEY]) expect(shown).not.toContain(secret)
})

test('the demo keeps its generated secret between starts, in a file for its owner', () => {
  const config = readConfig({ DATA_DIR: temporaryFolder() })
  const first = secretKey(config)
  expect(first.length).toBeGreaterThanOrEqual(32)
  expect(secretKey(config)).toBe(first)
  const file = path.join(config.dataDir, 'secret-key')
  expect(readFileSync(file, 'utf8')).toBe(first)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a key is replaced by another one, whose faults name no key', () => {
  const [present, previous] = [
    'present key of the shop, long enough',
    'previous key of the shop, long enough',
  ]
  const read = (env: Record<string, string>) => faultsOf(env)
  expect(read({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: previous })).toEqual([])
  // Of a file with a line break, or pasted with a blank.
  for (const around of [` ${previous}`, `${previous}\n`, `\t${previous} \r\n`])
    expect(readConfig({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: around }).previousSecretKey).toBe(previous)
  expect(readConfig({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: ' \n' }).previousSecretKey).toBeUndefined()
  const other = ['SECRET_KEY_PREVIOUS: expected another key than SECRET_KEY']
  for (const same of [present, ` ${present}`, `${present}\n`])
    expect(read({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: same })).toEqual(other)
  expect(read({ SECRET_KEY_PREVIOUS: previous })).toEqual([
    'SECRET_KEY_PREVIOUS: expected the present key as SECRET_KEY beside it, found nothing',
  ])
  const short = 'k'.repeat(31)
  expect(read({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: short })).toEqual([
    'SECRET_KEY_PREVIOUS: expected at least 32 characters, found 31 characters',
  ])
  // Values of secrets are in no line: they end up in logs.
  const secrets = { LOG_KEY: 'hunter2', METRICS_TOKEN: 'hunter2', SMTP_URL: 'http://u:hunter2@m.example' }
  const lines = read({ ...secrets, DATABASE_URL: 'mysql://u:hunter2@d.example', SECRET_KEY: 'hunter2' })
  expect(lines).toHaveLength(5)
  expect(lines.join()).not.toContain('hunter2')
  const shown = settingsInForce(readConfig({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: previous }))
  expect(JSON.stringify(shown)).not.toMatch(/key of the shop/)
})

test('messages about alerts to ntfy need a topic, and the address is in no line', () => {
  const faults = (address: string) => faultsOf({ ALERT_WEBHOOK_URL: address, ALERT_WEBHOOK_FORMAT: 'ntfy' })
  expect(faults('https://ntfy.sh/topic')).toEqual([])
  expect(faults('https://ntfy.sh/')).toEqual([
    expect.stringMatching(/^ALERT_WEBHOOK_URL: expected the address of a topic/),
  ])
  for (const wrong of ['ntfy.sh/hunter2', 'ftp://u:hunter2@m.example/x'])
    expect(faults(wrong).join()).not.toContain('hunter2')
  expect(faultsOf({ ALERT_WEBHOOK_FORMAT: 'pager' })).toHaveLength(1)
  const shown = settingsInForce(readConfig({ ALERT_WEBHOOK_URL: 'https://ntfy.sh/hunter2' }))
  expect(JSON.stringify(shown)).not.toContain('hunter2')
})

test('the mailbox is shown by a demo without a mail server only', () => {
  const shops = [{}, { SMTP_URL: 'smtp://mail.example' }, LIVE]
  expect(shops.map((env) => publicSettings(readConfig(env)).mailbox)).toEqual([true, false, false])
})
