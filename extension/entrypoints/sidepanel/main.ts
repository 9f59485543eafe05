document.title = "Stepledger"
