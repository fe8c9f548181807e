import type { Tally, Timing } from './runner.ts'

/** The parts of Vitest's JSON report that count. */
export type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    startTime?: number
    endTime?: number
    assertionResults: { fullName?: string; duration?: number | null }[]
  }[]
}

/**
 * Sums one run of Vitest. A file that could not even be loaded counts as one failure; so does a run that tested nothing,
 * that wrote no report, or that ended badly although no test of it failed (an error outside the tests).
 * @param code exit code of Vitest, null when a signal ended it
 */
export function tallyOf(report: VitestReport | undefined, code: number | null): Tally {
  if (!report) return { passed: 0, failed: 1 }
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length
  const failed = report.numFailedTests + unloaded
  const endedBadly = failed === 0 && (code !== 0 || report.numPassedTests === 0)
  return { passed: report.numPassedTests, failed: failed + (endedBadly ? 1 : 0) }
}

/**
 * How long each file and each test of a run took.
 * @param folder that the names of the files begin with, left out of them
 */
export function timingsOf(report: VitestReport | undefined, folder: string): Timing[] {
  return (report?.testResults ?? []).flatMap(({ name, startTime = 0, endTime = 0, assertionResults }) => {
    const file = name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name
    const tests = assertionResults.map(({ fullName = '', duration }) => ({
      name: `${file} › ${fullName}`,
      ms: duration ?? 0,
    }))
    const all = `${file} (all its tests)`
    // One test that is nearly all of its file says it once.
    return tests.length === 1 ? tests : [{ name: all, ms: endTime - startTime }, ...tests]
  })
}
