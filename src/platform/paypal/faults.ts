import type { ProviderFault } from './messages.ts'

/** PayPal's word for a request id that came with another request before. */
export const REQUEST_USED = 'PAYPAL_REQUEST_ID_PREVIOUSLY_USED'

const REQUESTED_BEFORE = ['DUPLICATE_REQUEST_ID', 'PREVIOUS_REQUEST_IN_PROGRESS', REQUEST_USED]

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

  /** Whether a request with this id is, or was, carried out for another caller: what comes of that one is open. */
  get isUnderWay(): boolean {
    return this.status === 409 || REQUESTED_BEFORE.some((issue) => this.has(issue))
  }
}

/** No answer, or one that does not tell whether the request took effect: the truth must be asked for. */
export class ProviderUnknown extends Error {
  override readonly name: string = 'ProviderUnknown'
  readonly debugId: string | undefined

  constructor(what: string, options: { cause?: unknown; debugId?: string | undefined } = {}) {
    super(`PayPal did not answer: ${what}`, { cause: options.cause })
    this.debugId = options.debugId
  }
}

/** It was not asked, because it had stopped answering: nothing happened there. */
export class ProviderAway extends ProviderUnknown {
  override readonly name = 'ProviderAway'

  constructor() {
    super('it is left alone for a while')
  }
}

/** It answered about something else than it was asked: what it knows is open, and asking again does not help. */
export class ProviderContradicts extends ProviderUnknown {
  override readonly name = 'ProviderContradicts'
}
