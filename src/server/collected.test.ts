import { globSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Jobs } from '#platform/jobs.ts'
import { JOBS } from './jobs.ts'
import { maintenanceJobs } from './maintenance.ts'
import { EMAIL_MAKERS } from './shop-mailer.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** What the slices export from their files of this name, whose own names end so. */
async function declared(file: string, suffix: string): Promise<unknown[]> {
  const files = globSync(`src/features/**/server/${file}`, { cwd: root })
  const modules = await Promise.all(files.map((one) => import(path.join(root, one)) as Promise<object>))
  return modules.flatMap((exported) =>
    Object.entries(exported).flatMap(([name, value]) => (name.endsWith(suffix) ? [value as unknown] : [])),
  )
}

test('every job of a slice is collected, under a name that no other one has', async () => {
  const slices = (await declared('jobs.ts', 'Jobs')) as Jobs[]
  expect(slices.length).toBeGreaterThan(10)
  const names = [...slices, maintenanceJobs].flatMap((jobs) => Object.keys(jobs))
  expect(names.toSorted()).toEqual(Object.keys(JOBS).toSorted())
})

test('what slices make of emails is collected, and each kind is made by one of them', async () => {
  const slices = await declared('emails.ts', 'EmailMakers')
  expect(slices.length).toBeGreaterThan(4)
  expect(new Set(slices)).toEqual(new Set(EMAIL_MAKERS))
  const deps = { db: undefined as never, secret: 'a secret', shop: {} as never }
  const kinds = EMAIL_MAKERS.map((makersOf) => makersOf(deps)).flatMap((makers) =>
    Object.entries(makers).flatMap(([part, all]) => Object.keys(all).map((kind) => `${part} ${kind}`)),
  )
  expect(kinds).toContain('bodies receipt')
  expect(kinds.toSorted()).toEqual([...new Set(kinds)].toSorted())
})
