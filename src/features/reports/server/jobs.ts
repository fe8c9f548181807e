import { type Jobs, MINUTE } from '#platform/jobs.ts'
import { sendReports } from './send-reports.ts'

export const reportsJobs = {
  'send reports': { everyMs: 10 * MINUTE, run: sendReports },
} satisfies Jobs
