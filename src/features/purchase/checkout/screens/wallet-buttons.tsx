import {
  DISPATCH_ACTION,
  PayPalButtons,
  PayPalScriptProvider,
  type ReactPayPalScriptOptions,
  usePayPalScriptReducer,
} from '@paypal/react-paypal-js'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { fundingFor } from '#shared/funding.ts'
import { LOCALES, type Language } from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'

export interface WalletButtonsProps {
  paypal: PublicSettings['paypal']
  /** Where the buyer is billed. */
  country: string | undefined
  language: Language
  disabled: boolean
  /** The provider's window may be open: its script stays. */
  paying: boolean
  createOrder: () => Promise<string>
  /** `restart` lets the buyer choose another instrument. */
  onApprove: (orderId: string, restart: () => void) => Promise<void>
  onCancel: (orderId: string | undefined) => void
  onError: (message: string) => void
  loading: ReactNode
  rejected: (retry: () => void) => ReactNode
}

/** The provider's script and styles need the page's nonce. */
const pageNonce = (): string | undefined =>
  document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce || undefined

/** The only module that knows the provider's browser package; loaded lazily. */
export function WalletButtons(props: WalletButtonsProps): ReactNode {
  const { paypal, language, country } = props
  const { clientId, sdkBaseUrl } = paypal
  const funding = fundingFor(paypal.funding, country)
  const options = useMemo<ReactPayPalScriptOptions>(
    () => ({
      clientId,
      sdkBaseUrl: `${sdkBaseUrl}/sdk/js`,
      currency: 'EUR',
      components: 'buttons',
      ...(funding !== '' && { enableFunding: funding }),
      locale: LOCALES[language],
      dataCspNonce: pageNonce(),
    }),
    [clientId, sdkBaseUrl, funding, language],
  )
  return (
    <PayPalScriptProvider options={options}>
      <Buttons {...props} options={options} />
    </PayPalScriptProvider>
  )
}

/** Spec section 4, "Payment script load". */
function Buttons(props: WalletButtonsProps & { options: ReactPayPalScriptOptions }): ReactNode {
  const { options, disabled, paying, createOrder, onApprove, onCancel, onError, loading, rejected } = props
  const [{ isInitial, isPending, isRejected }, dispatch] = usePayPalScriptReducer()

  const loaded = useRef(options)
  // The script draws the ways to pay of one country: another country needs it anew.
  useEffect(() => {
    if (loaded.current === options || paying) return
    loaded.current = options
    dispatch({ type: DISPATCH_ACTION.RESET_OPTIONS, value: options })
  }, [options, paying, dispatch])

  if (isInitial || isPending) return loading
  if (isRejected) return rejected(() => dispatch({ type: DISPATCH_ACTION.RESET_OPTIONS, value: options }))
  return (
    <PayPalButtons
      disabled={disabled}
      style={{ layout: 'vertical', shape: 'rect', label: 'pay', height: 48 }}
      createOrder={createOrder}
      onApprove={(data, actions) => onApprove(data.orderID, () => actions.restart())}
      onCancel={(data) => onCancel(typeof data['orderID'] === 'string' ? data['orderID'] : undefined)}
      onError={(error) => onError(messageOf(error))}
    />
  )
}

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? error.message
    : String(error)
