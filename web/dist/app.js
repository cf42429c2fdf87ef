// Shows the address of this server in the commands.
for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin;
