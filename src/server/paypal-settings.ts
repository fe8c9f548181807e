import * as z from 'zod'
import { filled, setting, url, WEB, whole } from './setting-kinds.ts'

/** How PayPal, or its emulator, is reached. */
export const PAYPAL_SETTINGS = {
  paypalBaseUrl: setting(
    'PAYPAL_BASE_URL',
    url('http'),
    WEB,
    'http://localhost:3001',
    'PayPal REST API: the emulator, https://api-m.sandbox.paypal.com or https://api-m.paypal.com.',
  ),
  paypalSdkUrl: setting(
    'PAYPAL_SDK_URL',
    url('http').optional(),
    WEB,
    undefined,
    'Address that serves /sdk/js; left out, PAYPAL_BASE_URL for the emulator and https://www.paypal.com for PayPal.',
  ),
  paypalClientId: setting(
    'PAYPAL_CLIENT_ID',
    filled,
    'the client id of the PayPal app',
    'volant-local-client',
    'Client id of the PayPal app.',
  ),
  paypalClientSecret: setting(
    'PAYPAL_CLIENT_SECRET',
    filled,
    'the secret of the PayPal app',
    'volant-local-secret',
    'Secret of the PayPal app.',
  ),
  paypalWebhookId: setting(
    'PAYPAL_WEBHOOK_ID',
    filled,
    'the id of the webhook',
    'WH-VOLANT-LOCAL',
    'Id of the webhook, part of what PayPal signs.',
  ),
  paypalFunding: setting(
    'PAYPAL_FUNDING',
    z.string().regex(/^[a-z]*(,[a-z]+)*$/),
    'names separated by commas',
    'venmo,bancontact',
    'Further funding methods of the payment buttons.',
  ),
  paypalFlow: setting(
    'PAYPAL_FLOW',
    z.enum(['buttons', 'redirect']),
    'buttons or redirect',
    'buttons',
    'redirect never loads a script of PayPal.',
  ),
  paypalTimeoutMs: setting(
    'PAYPAL_TIMEOUT_MS',
    whole(500, 60_000),
    'milliseconds from 500 to 60000',
    '10000',
    'Longest wait for an answer of PayPal.',
  ),
} as const
