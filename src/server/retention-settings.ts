import { setting, whole } from './setting-kinds.ts'

/** How long things about people are kept; the rules page says the same. */
export const RETENTION_SETTINGS = {
  keepMailDays: setting(
    'KEEP_MAIL_DAYS',
    whole(1, 365),
    'a number of days from 1 to 365',
    '30',
    'After that many days the text and address of a sent mail are erased.',
  ),
  keepNotificationDays: setting(
    'KEEP_NOTIFICATION_DAYS',
    whole(4, 365),
    'a number of days from 4 to 365',
    '30',
    "After that many days what PayPal's notifications said is erased.",
  ),
  keepOrderYears: setting(
    'KEEP_ORDER_YEARS',
    whole(1, 30),
    'a number of years from 1 to 30',
    '6',
    'That many years after the end of its calendar year, an order and its tickets name no buyer any more.',
  ),
} as const
