/** The program of assertions that some wallets add by themselves. https://docs.phantom.com/developer-powertools/lighthouse */
export const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';
