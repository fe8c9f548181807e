import type { ProviderFault } from './messages.ts'

/** PayPal understood and said no: nothing happened there. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  readonly status: number
  readonly fault: ProviderFault

  constructor(status: number, fault: ProviderFault) {
    super(
      `PayPal refused (${status}): ${fault.name ?? ''} ${fault.details?.map((one) => one.issue).join(', ') ?? ''}`,
    )
    this.status = status
    this.fault = fault
  }

  /** Whether one of the stated reasons is the given one, for example "INSTRUMENT_DECLINED". */
  has(issue: string): boolean {
    return this.fault.name === issue || (this.fault.details ?? []).some((detail) => detail.issue === issue)
  }
}

/** No answer, or one that does not tell whether the request took effect: the truth must be asked for. */
export class ProviderUnknown extends Error {
  override readonly name = 'ProviderUnknown'
  readonly debugId: string | undefined

  constructor(what: string, options: { cause?: unknown; debugId?: string | undefined } = {}) {
    super(`PayPal did not answer: ${what}`, { cause: options.cause })
    this.debugId = options.debugId
  }
}
