import { browserCall } from '#client/browser.ts'
import type { CalculateTaxBody, TaxResult } from './cart.contract.ts'

/** The tax on a cart, apart because only the pages of a purchase load it. */
export const calculateTax = (body: CalculateTaxBody, signal?: AbortSignal): Promise<TaxResult> =>
  browserCall()<TaxResult>('POST', '/api/cart/calculate_tax/', { body, ...(signal && { signal }) })
