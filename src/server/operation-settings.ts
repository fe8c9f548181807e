import * as z from 'zod'
import { email, setting, whole } from './setting-kinds.ts'

/** How the shop is looked after while it runs. */
export const OPERATION_SETTINGS = {
  metricsToken: setting(
    'METRICS_TOKEN',
    z.string().min(16).optional(),
    'at least 16 characters',
    undefined,
    'Token that Prometheus shows at /metrics; left out, nobody gets the figures.',
  ),
  alarmEmail: setting(
    'ALARM_EMAIL',
    email.optional(),
    'an e-mail address',
    undefined,
    'Gets a mail for each new alarm; left out, alarms are in the log and listed for staff only.',
  ),
  mergePurchases: setting(
    'MERGE_PURCHASES',
    whole(1, 1_000),
    'a number from 1 to 1000',
    '128',
    'Most purchases that share a transaction; 1 gives each its own, which is slower: to compare, or to look for a fault.',
  ),
  shedDelayMs: setting(
    'SHED_DELAY_MS',
    whole(0, 60_000),
    'milliseconds from 0 to 60000; 0 for no bound',
    '2000',
    'Delay of the event loop above which a process turns requests away, payments last.',
  ),
  shedRequests: setting(
    'SHED_REQUESTS',
    whole(0, 1_000_000),
    'a number from 0 to 1000000; 0 for no bound',
    '12000',
    'Requests under way above which a process turns further ones away, payments last.',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    whole(0, 300),
    'a number of seconds from 0 to 300',
    '0',
    'How long a process that was told to stop still takes requests, not ready, so that a balancer turns to others.',
  ),
} as const
