// Preloaded into a program of a test where there are no signals: what is said over the channel counts as one.
process.on('message', (signal) => process.emit(signal, signal));
process.channel?.unref();
