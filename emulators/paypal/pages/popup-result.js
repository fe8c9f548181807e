/** Runs in the popup after the buyer's answer: hands it to the page that opened the window, then closes. */
const result = document.currentScript?.dataset ?? {}
if (window.opener && result.origin) {
  const message = {
    source: 'paypal-emulator',
    outcome: result.outcome,
    orderID: result.orderId,
    payerID: result.payerId || null,
  }
  window.opener.postMessage(message, result.origin)
  window.close()
}

export {}
