import type { Tally } from './runner.ts'

/** The parts of Vitest's JSON report that count. */
export type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  testResults: { name: string; status: string; assertionResults: unknown[] }[]
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
  const untold = failed === 0 && (code !== 0 || report.numPassedTests === 0)
  return { passed: report.numPassedTests, failed: failed + (untold ? 1 : 0) }
}
