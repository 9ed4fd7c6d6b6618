// Saves a file to the browser's downloads.
export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Chromium reads the object URL after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
