/** What the server writes into the served script, with what the script reads from its own tag. */
export type SdkConfig = {
  publicUrl: string
  origin: string
  nonce: string
  language: string
  currency: string
  funding: string[]
  texts: SdkTexts
}

export type SdkTexts = {
  pay: string
  checkout: string
  buyNow: string
  payWith: string
  group: string
  note: string
  overlayTitle: string
  overlayText: string
  overlayShow: string
  overlayCancel: string
  continueTitle: string
  continueText: string
  continueShow: string
}

export type Result = {
  outcome: 'approved' | 'cancelled' | 'aborted'
  orderID: string
  payerID: string | null
}

type Verdict = { resolve: () => Promise<void>; reject: () => Promise<void> }
type Redirect = { redirect: (address: string) => void }

export type ButtonOptions = {
  fundingSource?: string
  style?: {
    color?: string
    shape?: string
    label?: string
    height?: number
    borderRadius?: number
    layout?: string
  }
  createOrder?: (data: { paymentSource: string }, actions: object) => Promise<string>
  onApprove?: (data: object, actions: object) => Promise<void> | void
  onCancel?: (data: { orderID: string }, actions: Redirect) => Promise<void> | void
  onError?: (error: Error) => void
  onInit?: (data: object, actions: { enable: () => Promise<void>; disable: () => Promise<void> }) => void
  onClick?: (data: { fundingSource: string }, verdict: Verdict) => Promise<void> | void
}
