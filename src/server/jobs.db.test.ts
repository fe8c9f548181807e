import { expect, test } from 'vitest'
import { createMetrics } from '#platform/metrics.ts'
import { openShop } from '../../test/support/shop.ts'
import { JOBS, jobAges, jobRuns, measureJobs, watchJobs } from './jobs.ts'

const shop = await openShop()
const { db, pool } = shop
const { alerts } = shop.checkout

const missing = async () => (await jobAges(db)).filter((one) => one.isMissing).map(({ job }) => job)
const healthOf = () => shop.anonymous('GET', '/api/health/jobs')
const openAlerts = async () =>
  (
    await pool.query(
      `SELECT subject FROM alerts WHERE kind = 'jobMissing' AND resolved_at IS NULL ORDER BY 1`,
    )
  ).rows.map(({ subject }) => subject)

test('web processes notice that no worker runs, by metrics, health and an alert whose email they send', async () => {
  const ended = jobRuns(db)
  for (const job of Object.keys(JOBS)) await ended(job)
  expect(await missing()).toEqual([])
  expect(await healthOf()).toMatchObject({ status: 200, body: { status: 'ok' } })

  // An hourly job may be as old as five hours, others five minutes.
  await pool.query(`UPDATE job_runs SET ended_at = now() - interval '301 seconds'`)
  await pool.query(
    `UPDATE job_runs SET ended_at = now() - interval '299 minutes' WHERE job = 'apply retention'`,
  )
  // Some other job shows that a worker runs.
  await pool.query(`UPDATE job_runs SET ended_at = now() WHERE job = 'send reports'`)
  const late = Object.keys(JOBS).filter(
    (job) =>
      ![
        'apply retention',
        'delete expired rows',
        'send audit checkpoint',
        'send draw checkpoints',
        'send reports',
      ].includes(job),
  )
  expect(await missing()).toEqual(late)
  expect(await healthOf()).toMatchObject({ status: 503, body: { status: 'jobs missing' } })
  const metrics = createMetrics()
  measureJobs(metrics, db)
  const figures = await metrics.registry.metrics()
  expect(figures).toMatch(/volant_job_age_seconds\{task="deliver emails"\} 30[1-9]/)
  const marked = [...figures.matchAll(/^volant_job_missing\{task="([^"]+)"\} 1$/gm)].map(([, job]) => job)
  expect(marked).toEqual(late)

  let deliveries = 0
  const watch = () => watchJobs(db, alerts, async () => (deliveries += 1))
  await watch()
  expect([deliveries, await openAlerts()]).toEqual([1, late.toSorted()])
  for (const job of late) await jobRuns(db)(job)
  await watch()
  expect([deliveries, await openAlerts()]).toEqual([1, []])
})

test('no worker at all is one alert, not one for each job, and ends when one runs', async () => {
  const openKinds = async () =>
    (await pool.query(`SELECT kind, subject, details FROM alerts WHERE resolved_at IS NULL`)).rows
  let deliveries = 0
  const watch = () => watchJobs(db, alerts, async () => (deliveries += 1))
  for (const job of Object.keys(JOBS)) await jobRuns(db)(job)
  await pool.query(`UPDATE job_runs SET ended_at = now() - interval '119 seconds'`)
  await watch()
  expect([deliveries, await openKinds()]).toEqual([0, []])
  await pool.query(`UPDATE job_runs SET ended_at = now() - interval '1 hour'`)
  await watch()
  const seconds = expect.toSatisfy((value: number) => value >= 3_600 && value < 3_700)
  expect([deliveries, await openKinds()]).toEqual([
    1,
    [{ kind: 'workerMissing', subject: '', details: { seconds } }],
  ])
  await pool.query('DELETE FROM job_runs')
  await watch()
  expect(await openKinds()).toMatchObject([{ kind: 'workerMissing', details: { seconds: null } }])
  for (const job of Object.keys(JOBS)) await jobRuns(db)(job)
  await watch()
  expect([deliveries, await openKinds()]).toEqual([2, []])
})
