package shop;

import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;

/** RMI: the server's frames stand below the client's in one trace. */
public class RemotePay {
    interface Pay extends Remote {
        int price(String part) throws RemoteException;
    }

    static class Server implements Pay {
        public int price(String part) {
            throw new IllegalStateException("no price for " + part);
        }
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server();
        Registry registry = LocateRegistry.createRegistry(0);
        registry.rebind("pay", UnicastRemoteObject.exportObject(server, 0));
        try {
            ((Pay) registry.lookup("pay")).price("bolt");
        } catch (IllegalStateException e) {
            e.printStackTrace();
        }
        System.exit(0);
    }
}
