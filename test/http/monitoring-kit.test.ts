import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureJobs } from '#server/jobs.ts'
import { watchShop } from '#server/monitoring.ts'
import { createMetrics } from '#platform/metrics.ts'
import { openShop } from '../support/shop.ts'
import { type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The files for Prometheus and Grafana fit what a shop exports, and do what they say (ADR 0108). */
const TOKEN = 'a token for the figures'
const deploy = path.resolve(import.meta.dirname, '../../deploy')
const prometheus = path.join(deploy, 'prometheus')
const read = (name: string): string => readFileSync(path.join(deploy, name), 'utf8')

interface Panel {
  id: number
  title: string
  type: string
  datasource: { uid: string }
  gridPos: { x: number; y: number; w: number; h: number }
  targets: { expr: string; legendFormat: string; refId: string }[]
}
const dashboard = JSON.parse(read('grafana/volant.json')) as { uid: string; panels: Panel[] }
const rules = read('prometheus/volant.rules.yml')
const tests = read('prometheus/volant.rules.test.yml')

/** Of each rule its name and its expression, which may go on in further lines. */
const ruleExpressions = [
  ...rules.matchAll(/- alert: (\w+)\n\s+expr: (?:>-\n)?([\s\S]+?)\n\s+(?:for|labels):/g),
].map(([, name = '', expression = '']) => [`the rule ${name}`, expression] as const)
const panelExpressions = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [`the panel ${title}`, expr] as const),
)

/** Prometheus itself makes it for each process. */
const OWN = ['up']
const OWN_LABELS = ['job', 'instance', 'le']

/** The metrics that an expression names, and the labels of each group or condition. */
function namedIn(expression: string) {
  const labelled = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
  )
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  const rest = expression
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\bby \([^)]*\)/g, ' ')
    .replaceAll(/\[\w+\]/g, ' ')
  // What stands before a parenthesis is a function.
  const metrics = [...rest.matchAll(/[a-z_]\w*(?!\w|\s*\()/gi)].map(([name]) => name)
  return { metrics: metrics.filter((name) => name !== 'and'), labels: [...labelled, ...grouped] }
}

test('an expression’s metrics and labels are found', () => {
  const text = 'sum by (le, a) (rate(x_total{b=~"c.*",d!="e"}[5m])) / max(y_seconds) > 0.1 and up == 0'
  expect(namedIn(text)).toEqual({ metrics: ['x_total', 'y_seconds', 'up'], labels: ['b', 'd', 'le', 'a'] })
})

describe('each metric that a rule or a panel names', async () => {
  const shop = await openShop()
  let running: ShopProcess
  beforeAll(async () => {
    running = await startShopProcess({
      env: {
        DATABASE_URL: shop.url,
        // No standby, which is told by figures as well.
        DATABASE_READ_URL: shop.url,
        DATA_DIR: temporaryFolder('volant-kit-', 'file'),
        SECRET_KEY: shop.secret,
        PAYPAL_BASE_URL: shop.paypal.url,
        METRICS_TOKEN: TOKEN,
      },
    })
    await running.whenReady()
  })
  afterAll(() => running.end('SIGKILL'))

  const metrics = createMetrics()
  metrics.watchReplica(() => ({ state: 'follows' }))
  metrics.watchPool({ totalCount: 1, idleCount: 1, waitingCount: 0 })
  measureJobs(metrics, shop.db)
  watchShop(metrics, shop.db)
  /** Of the metrics of the shop itself by their names; those of Node and of the process have none. */
  const labels = new Map(
    metrics.registry.getMetricsAsArray().map((one) => {
      const { name, labelNames } = one as unknown as { name: string; labelNames: string[] }
      return [name, labelNames]
    }),
  )
  const withoutPart = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '')

  test('is exported by a process of the shop', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const exported = await (await fetch(running.url('/metrics'), { headers })).text()
    const kinds = new Map(
      [...exported.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind = '']) => [name, kind]),
    )
    expect(kinds.size).toBeGreaterThan(30)
    const faults: string[] = []
    for (const [where, expression] of [...ruleExpressions, ...panelExpressions]) {
      const named = namedIn(expression).metrics
      if (named.length === 0) faults.push(`${where} names none`)
      for (const name of named) {
        const isPart = withoutPart(name) !== name && kinds.get(withoutPart(name)) === 'histogram'
        if (!OWN.includes(name) && !kinds.has(name) && !isPart) faults.push(`${where}: ${name}`)
      }
    }
    expect(faults).toEqual([])
  })

  test('has the labels by which it is chosen or grouped', () => {
    const faults = [...ruleExpressions, ...panelExpressions].flatMap(([where, expression]) => {
      const named = namedIn(expression)
      const known = new Set([
        ...OWN_LABELS,
        ...named.metrics.flatMap((name) => labels.get(withoutPart(name)) ?? labels.get(name) ?? []),
      ])
      return named.labels.filter((label) => !known.has(label)).map((label) => `${where}: ${label}`)
    })
    expect(faults).toEqual([])
  })

  test('every metric of the shop is in a rule or a panel', () => {
    const named = new Set(
      [...ruleExpressions, ...panelExpressions].flatMap(([, expression]) =>
        namedIn(expression).metrics.map(withoutPart),
      ),
    )
    expect([...labels.keys()].filter((name) => !named.has(name))).toEqual([])
  })
})

describe('the rules', () => {
  const names = ruleExpressions.map(([where]) => where.replace('the rule ', ''))

  test('are all read here, and each is tested with figures that fire it and with others', () => {
    expect(names).toHaveLength([...rules.matchAll(/- alert:/g)].length)
    expect(names.length).toBeGreaterThan(10)
    const outcomes = [...tests.matchAll(/alertname: (\w+)\n\s+exp_alerts:(?: (\[\]))?/g)]
    const outcomesOf = (name: string) =>
      new Set(outcomes.filter(([, one]) => one === name).map(([, , none]) => none === undefined))
    expect(names.filter((name) => outcomesOf(name).size !== 2)).toEqual([])
  })

  const isMissing = spawnSync('promtool', ['--version']).error !== undefined
  const promtool = (folder: string, ...args: string[]): string =>
    execFileSync('promtool', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  describe.skipIf(isMissing)('by promtool (skipped where it is not installed)', () => {
    test('do what their tests say', () => {
      expect(promtool(prometheus, 'test', 'rules', 'volant.rules.test.yml')).toContain('SUCCESS')
      expect(promtool(prometheus, 'check', 'rules', 'volant.rules.yml')).toContain(`${names.length} rules`)
    })

    test('are noticed by their tests when their bound moves', () => {
      const folder = temporaryFolder('volant-rules-', 'test')
      cpSync(prometheus, folder, { recursive: true })
      const changed = rules.replaceAll(/ (>|==) ([\d.]+)$/gm, ' $1 99$2')
      expect(changed).not.toBe(rules)
      writeFileSync(path.join(folder, 'volant.rules.yml'), changed)
      expect(() => promtool(folder, 'test', 'rules', 'volant.rules.test.yml')).toThrow(/FAILED/)
    })

    test('are taken by Prometheus with the example of its settings', () => {
      const folder = temporaryFolder('volant-prometheus-', 'test')
      cpSync(prometheus, folder, { recursive: true })
      const settings = read('prometheus/prometheus.yml')
      const token = /credentials_file: (\S+)/.exec(settings)?.[1] ?? ''
      writeFileSync(path.join(folder, 'token'), TOKEN)
      writeFileSync(path.join(folder, 'prometheus.yml'), settings.replaceAll(token, `${folder}/token`))
      expect(promtool(folder, 'check', 'config', 'prometheus.yml')).toMatch(
        /SUCCESS: 1 rule files[\s\S]*SUCCESS/,
      )
    })

    test('and panels are expressions that Prometheus understands', () => {
      const folder = temporaryFolder('volant-panels-', 'test')
      const groups = panelExpressions.map(([, expr], at) => ({ record: `volant:panel_${at}`, expr }))
      // JSON is YAML, too.
      writeFileSync(
        path.join(folder, 'panels.yml'),
        JSON.stringify({ groups: [{ name: 'panels', rules: groups }] }),
      )
      expect(promtool(folder, 'check', 'rules', 'panels.yml')).toContain(`${groups.length} rules`)
    })
  })
})

describe('the dashboard', () => {
  test('has panels with names of their own, beside each other, of the chosen Prometheus', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
    expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']))
  })

  test('names each line of a panel by labels that its expression keeps', () => {
    const faults = dashboard.panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr, legendFormat }) => {
        const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/) ?? OWN_LABELS
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
        return named.filter((label) => !kept.includes(label)).map((label) => `${title}: ${label}`)
      }),
    )
    expect(faults).toEqual([])
  })
})
